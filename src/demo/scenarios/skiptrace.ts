import { asc, eq } from 'drizzle-orm';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { listLeads } from '../../../drizzle/schema.ts';
import { skipTraceWorkflowId } from '../../domain/workflow-id.ts';
import { createList } from '../../lists/create-list.ts';
import { readLists } from '../../leads/read-sources.ts';
import { orderSkipTrace } from '../../skip-trace/order-skip-trace.ts';
import { simulatedFate, type SimulatedFate } from '../../skip-trace/simulated-vendor.ts';
import { expectOnce, followEvent } from './follow-event.ts';
import { expectSeen } from './not-seen.ts';
import { withReadApi } from './read-api.ts';
import type { ReceivedEvent } from './received-event.ts';
import type { Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

const LIST = 'Three to call first';

/** What comes of the three: two ordinary answers, and somebody who must not be called. */
const FATES: readonly SimulatedFate[] = ['found', 'found', 'litigator'];

const contactKeys = [
  ...['order_id', 'phones', 'emails', 'phone_primary', 'phone_secondary', 'email_primary'],
  ...['callable_phones', 'dnc_screened', 'traced_at'],
] as const;

const readRows = z.object({
  leads: z.array(
    z.looseObject({
      parcel_id: z.string(),
      contacts: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
});

const phoneDetail = z.looseObject({
  ...{ number: z.string(), type: z.string(), dnc_status: z.string() },
  carrier: z.string().nullable(),
});

const tracedData = z.looseObject({
  ...{ parcel_id: z.string(), address: z.string(), order_id: z.string() },
  ...{ callable_phones: z.number(), dnc_screened: z.boolean(), litigator: z.boolean() },
  phone_details: z.array(phoneDetail),
  emails: z.array(z.string()),
});

/** Contacts bought for three leads: from the order to the event, and in the Read API. */
export const skiptrace: Scenario = {
  name: 'skiptrace',
  summary:
    'skip traces of three leads of a list: one event each, the same contacts in GET /v1/leads',
  settings: {},
  async play(stage) {
    const { context, accountId, narrator } = stage;
    const { listId, parcelIds } = await listOfThree(stage);
    narrator.step(`Skip traces of the list "${LIST}" are ordered and paid for`);
    const batch = await orderSkipTrace(context, { accountId, listId }, { pay: true });
    const { batchId } = batch;
    const price = `$${(batch.priceCents / 100).toFixed(2)}`;
    narrator.fact('batch', `${batchId}: ${batch.orders} orders, ${price}, PAID`, {
      ...{ batch_id: batchId, list_id: listId, orders: batch.orders },
    });
    const workflowId = skipTraceWorkflowId(batchId);
    narrator.fact('workflow', stage.ui(workflowId), { workflow_id: workflowId });
    narrator.fact('vendor', 'is simulated: numbers from the range for fiction, example addresses');
    narrator.fact('see', stage.cli('order list --service SKIP_TRACE'));

    const told: ReceivedEvent[] = [];
    for (const [index, parcelId] of parcelIds.entries())
      told.push(await follow(stage, parcelId, index));
    const all = (await stage.events()).filter(({ type }) => type === 'lead.skiptrace.completed');
    expectSeen(all.length === 3, `one event for each order (there are ${all.length}).`);

    narrator.step('The same contacts in the Read API, with a fresh key');
    await compare(stage, listId, told);
    return {
      text: '3 orders fulfilled, 3 events, each once, verified; the Read API shows the same contacts',
      json: {
        events: 3,
        batchId,
        orders: told.map(({ data }) => data['order_id']),
        sameContacts: 3,
      },
    };
  },
};

/** A list of three leads out of the account's list; the same one in every run. */
async function listOfThree(stage: Stage): Promise<{ listId: string; parcelIds: string[] }> {
  const { context, accountId } = stage;
  const all = await readLists(context.db, accountId);
  const existing = all.find(({ name }) => name === LIST);
  if (existing) return { listId: existing.id, parcelIds: await leadsOf(stage, existing.id) };
  const [first] = all;
  expectSeen(first !== undefined, "the demo account's list.");
  const left = await leadsOf(stage, first.id);
  const parcelIds = FATES.map((fate) => {
    const place = left.findIndex((parcelId) => simulatedFate(parcelId) === fate);
    return left.splice(Math.max(0, place), 1)[0] ?? '';
  });
  const list = await createList(context.db, { accountId, name: LIST, parcelIds });
  return { listId: list.id, parcelIds: await leadsOf(stage, list.id) };
}

async function leadsOf({ context }: Stage, listId: string): Promise<string[]> {
  const rows = await context.db
    .select({ parcelId: listLeads.parcelId })
    .from(listLeads)
    .where(eq(listLeads.listId, listId))
    .orderBy(asc(listLeads.parcelId));
  return rows.map(({ parcelId }) => parcelId);
}

/** Waits for a lead's event, follows it, and tells what it says. */
async function follow(stage: Stage, parcelId: string, index: number): Promise<ReceivedEvent> {
  const { narrator } = stage;
  const event = await stage.until(`lead.skiptrace.completed of ${parcelId}`, async () =>
    (await stage.events(`lead:${parcelId}`)).find(
      ({ type }) => type === 'lead.skiptrace.completed',
    ),
  );
  narrator.step(`Lead ${index + 1} of 3 is traced: ${parcelId}`);
  const got = await followEvent(stage, event);
  expectOnce(stage, event.id);
  const data = tracedData.parse(got.data);
  narrator.fact('order', `${data.order_id} is FULFILLED, in the transaction of its event`, {
    order_id: data.order_id,
  });
  for (const { number, type, dnc_status: status, carrier } of data.phone_details) {
    const line = `${number}  ${type.padEnd(8)}  do not call: ${status.padEnd(7)}  ${carrier ?? ''}`;
    narrator.fact('phone', line.trimEnd());
  }
  for (const email of data.emails) narrator.fact('email', email);
  const why = data.litigator ? ', because the owner is a known litigator' : '';
  narrator.fact('callable', `${data.callable_phones} of ${data.phone_details.length}${why}`, {
    ...{ callable_phones: data.callable_phones, litigator: data.litigator },
  });
  return got;
}

/** Field by field, what was received and what is read. */
async function compare(stage: Stage, listId: string, told: ReceivedEvent[]): Promise<void> {
  const body = await withReadApi(stage, (get) => get(`/v1/leads?list_id=${listId}&min_score=0`));
  const { leads } = readRows.parse(body);
  for (const { data } of told) {
    const row = leads.find((lead) => lead.parcel_id === data['parcel_id']);
    const wrong = contactKeys.filter((key) => !isDeepStrictEqual(row?.contacts?.[key], data[key]));
    expectSeen(
      wrong.length === 0,
      `the same contacts of ${String(data['parcel_id'])} (other: ${wrong.join(', ')}).`,
    );
    stage.narrator.fact(
      'same',
      `${String(data['parcel_id'])}: ${contactKeys.length} fields compared`,
    );
  }
}
