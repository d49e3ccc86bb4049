import { sql } from 'drizzle-orm';
import { Client, Connection } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { z } from 'zod';
import type { Db } from '../../src/db/client.ts';
import { CONTACTS_PLAN, PLANS, planIncludes } from '../../src/domain/plan.ts';
import { LEAD_TYPES, type LeadType } from '../../src/domain/lead-type.ts';
import { EVENT_CATALOGUE, type EventType } from '../../src/events/catalogue.ts';
import { eventContactFields } from '../../src/orders/contact-fields.ts';
import type { Contacts } from '../../src/orders/contacts.ts';
import { historyToJson, readableText } from '../support/history.ts';
import { markerOf, OWNER, URL_SECRET, type Customer } from './customers.ts';

/** Anything that looks like an address or a number by which somebody can be reached. */
const CONTACT = /[\w.+-]+@example\.(com|net|org)|\+1 ?\d{3} ?555 ?0\d{3}|\d{3}\W{1,2}555\W0\d{3}/gi;

/** What only this test has: names of owners and of what accounts have, secrets of URLs. */
const OF_THIS_RUN = [new RegExp(OWNER, 'i'), new RegExp(URL_SECRET), /only[a-z]{3}only/];

/** What neither logs nor histories may hold: that, contacts, streets, keys. */
const PRIVATE = [
  ...[...OF_THIS_RUN, CONTACT, /Thistledown/, /Elm St/, /Millbrook/, /whsec_\w/, /svc_live_\w{4}/],
];

const row = z.object({
  id: z.string(),
  account_id: z.string(),
  type: z.string(),
  text: z.string(),
  data: z.record(z.string(), z.unknown()),
  /** Plans that the account had at some time from when the action began to when it was told. */
  plans: z.array(z.enum(PLANS)),
  contacts: z.custom<Contacts>().nullable(),
});

/** Events that tell an account what is another's, or what its plan did not carry. */
export async function leakingEvents(db: Db, customers: readonly Customer[]): Promise<string[]> {
  const owners = await ownersOf(db);
  const byAccount = new Map(customers.map((customer) => [customer.accountId, customer]));
  const rows = await db.execute(sql`
    with plans as (
      select account_id, after as plan, at as since,
             coalesce(lead(at) over (partition by account_id order by seq), 'infinity') as until
      from journal where kind = 'plan'
    )
    select t.id, t.account_id, t.type, t.body::text as text, t.data, o.contacts,
           array(select distinct plan from plans p
                 where p.account_id = t.account_id and p.since <= t.created_at + interval '1 second'
                   and p.until >= coalesce(o.fulfilled_at, t.created_at - interval '9 seconds')
                                  - interval '1 second') as plans
    from told t left join orders o on o.id = t.data ->> 'order_id'`);
  return z
    .array(row)
    .parse(rows)
    .flatMap((event) => {
      const customer = byAccount.get(event.account_id);
      if (!customer) return [`${event.id} is nobody's`];
      const faults = [
        ...foreignWords(event.text, customer, owners),
        ...wrongContacts(event),
        ...wrongLeadTypes(event),
      ];
      const { data } = EVENT_CATALOGUE[event.type as EventType];
      if (!data.safeParse(event.data).success) faults.push('does not fit the catalogue');
      return faults.map((fault) => `${event.type} ${event.id}: ${fault}`);
    });
}

type Row = z.infer<typeof row>;

/** Contacts are in events of traces only: all that were found, or none, as the plan has it. */
function wrongContacts({ type, text, data, plans, contacts }: Row): string[] {
  if (type !== 'lead.skiptrace.completed' || !contacts) {
    return text.match(CONTACT) ? ['has a contact'] : [];
  }
  const fits = plans.some((plan) => {
    const should = eventContactFields(contacts, planIncludes(plan, CONTACTS_PLAN));
    return Object.entries(should).every(
      ([field, value]) => canonical(data[field]) === canonical(value),
    );
  });
  return fits ? [] : [`has other contacts than ${plans.join(' or ')} entitles to`];
}

function wrongLeadTypes({ data, plans }: Row): string[] {
  const types = (data['lead_types'] ?? []) as LeadType[];
  const shown = types.every((type) =>
    plans.some((plan) => planIncludes(plan, LEAD_TYPES[type].plan)),
  );
  return shown ? [] : [`has lead types above ${plans.join(' or ')}`];
}

/** What a text that is for one account tells of another: names that it gave, and ids. */
export function foreignWords(
  text: string,
  { index, accountId }: Customer,
  owners: ReadonlyMap<string, string>,
): string[] {
  const markers = text.match(/only[a-z]{3}only/g) ?? [];
  const ids = text.match(/\b[a-z]{2,5}_[0-9a-f]{32}\b/g) ?? [];
  return [
    ...markers.filter((marker) => marker !== markerOf(index)),
    ...ids.filter((id) => (owners.get(id) ?? accountId) !== accountId),
  ].map((word) => `has ${word}`);
}

/** Whose everything is, by id. */
export async function ownersOf(db: Db): Promise<Map<string, string>> {
  const tables = ['lists', 'farms', 'deals', 'campaigns', 'orders', 'endpoints', 'events'];
  const all = [
    sql`select id, id as owner from accounts`,
    sql`select distinct batch_id, account_id from orders`,
    ...tables.map((table) => sql`select id, account_id from ${sql.identifier(table)}`),
  ];
  const rows = await db.execute<{ id: string; owner: string }>(sql.join(all, sql` union all `));
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}

/** What of a text may be known to nobody but its account; the words themselves. */
export function privateWords(text: string): string[] {
  return PRIVATE.flatMap((pattern) => text.match(pattern)?.[0] ?? []);
}

/** The same of a log that other tests write into as well. */
export function wordsOfThisRun(text: string): string[] {
  return OF_THIS_RUN.flatMap((pattern) => text.match(pattern)?.[0] ?? []);
}

/** How many histories there are at a server, and which of them hold what is private. */
export async function leakingHistories(
  address: string,
): Promise<{ read: number; found: string[] }> {
  const connection = await Connection.connect({ address });
  try {
    const { workflow } = new Client({ connection });
    const found: string[] = [];
    let read = 0;
    const histories = workflow.list().intoHistories({ concurrency: 8 });
    for await (const { workflowId, history } of histories) {
      read += 1;
      const words = privateWords(readableText(historyToJson(history as History)));
      if (words.length > 0) found.push(`the history of ${workflowId} has ${words.join(', ')}`);
    }
    return { read, found };
  } finally {
    await connection.close();
  }
}

/** The same text for the same value, whatever the order of its keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort())
      : inner,
  );
}
