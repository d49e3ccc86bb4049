import { eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { orders } from '../../drizzle/schema.ts';
import type { Db } from '../../src/db/client.ts';
import { CONTACTS_PLAN, PLANS, planIncludes } from '../../src/domain/plan.ts';
import { contactFields } from '../../src/orders/contact-fields.ts';
import type { TestApi } from '../support/read-api.ts';
import type { SeededRandom } from '../support/random.ts';
import type { Customer } from './customers.ts';
import { canonical, foreignWords, ownersOf } from './leaks.ts';

/** What the Read API answered an account, and when. */
export interface ApiAnswer {
  customer: Customer;
  path: string;
  status: number;
  json: unknown;
  from: number;
  to: number;
}

const PATHS: readonly ((customer: Customer, random: SeededRandom) => string)[] = [
  () => '/v1/deals?limit=100',
  () => '/v1/orders?limit=100',
  () => '/v1/orders?service=SKIP_TRACE&status=FULFILLED&limit=100',
  ({ listIds }, random) => `/v1/leads?list_id=${random.pick(listIds)}&min_score=0&limit=100`,
  ({ own }, random) => `/v1/leads/${random.pick(own).replace(':', '/')}`,
  () => '/v1/farms',
];

/** Asks for something at random, with any of the account's keys. */
export async function readAtRandom(
  api: TestApi,
  customer: Customer,
  random: SeededRandom,
): Promise<ApiAnswer> {
  const path = random.pick(PATHS)(customer, random);
  return read(api, customer, path, random.pick(customer.keys));
}

/** Reads all that there is of an account, page by page. */
export async function readAll(api: TestApi, customer: Customer): Promise<ApiAnswer[]> {
  const { listIds, own } = customer;
  const paths = [
    ...[
      '/v1/deals?',
      '/v1/orders?',
      ...listIds.map((id) => `/v1/leads?min_score=0&list_id=${id}&`),
    ],
    ...own.slice(0, 10).map((id) => `/v1/leads/${id.replace(':', '/')}?`),
  ];
  const answers: ApiAnswer[] = [];
  for (const path of paths) {
    const key = await api.newKey(customer.accountId);
    for (let offset = 0, total = 1; offset < total; offset += 100) {
      const page = path.startsWith('/v1/leads/')
        ? path.slice(0, -1)
        : `${path}limit=100&offset=${offset}`;
      const answer = await read(api, customer, page, key);
      answers.push(answer);
      total = (answer.json as { total?: number }).total ?? 0;
    }
  }
  return answers;
}

async function read(api: TestApi, customer: Customer, path: string, key: string) {
  const from = Date.now();
  const { status, json } = await api.get(path, key);
  return { customer, path, status, json, from, to: Date.now() };
}

const planRow = z.object({ accountId: z.string(), plan: z.enum(PLANS), at: z.number() });
const withOrder = z.object({ order_id: z.string(), contacts: z.unknown().optional() });

/** Answers that told an account what is another's, or contacts that it may not see or are others. */
export async function leakingAnswers(db: Db, answers: readonly ApiAnswer[]): Promise<string[]> {
  const owners = await ownersOf(db);
  const found = await db.select().from(orders).where(eq(orders.service, 'SKIP_TRACE'));
  const byId = new Map(found.map((order) => [order.id, order]));
  const plans = z.array(planRow).parse(
    await db.execute(sql`
      select account_id as "accountId", after as plan, (extract(epoch from at) * 1000)::float8 as at
      from journal where kind = 'plan' order by seq`),
  );
  return answers.flatMap(({ customer, path, status, json, from, to }) => {
    const { accountId } = customer;
    const own = plans.filter((row) => row.accountId === accountId);
    const before = own.filter(({ at }) => at < from - 1_000).at(-1);
    const during = own.filter(({ at }) => at >= from - 1_000 && at <= to + 1_000);
    const possible = [...(before ? [before] : []), ...during].map(({ plan }) => plan);
    const entitled = possible.some((plan) => planIncludes(plan, CONTACTS_PLAN));
    const faults = foreignWords(JSON.stringify(json), customer, owners);
    if (status === 200 && !entitled) faults.push('answers a plan without the Read API');
    if (![200, 403, 503].includes(status)) faults.push(`answers ${status}`);
    if (status === 403 && !possible.includes('free')) faults.push('refuses without a reason');
    for (const [orderId, contacts] of contactsIn(json)) {
      const order = byId.get(orderId);
      const right = order?.contacts && shown(contactFields(order.contacts), contacts);
      if (order?.accountId !== accountId || !right) faults.push(`has other contacts of ${orderId}`);
    }
    return faults.map((fault) => `${accountId} ${path}: ${fault}`);
  });
}

/** The contacts that an answer shows, with the order that each is of. */
function contactsIn(json: unknown): [string, Record<string, unknown>][] {
  if (typeof json !== 'object' || json === null) return [];
  const inner = Object.values(json).flatMap(contactsIn);
  const { success, data } = withOrder.safeParse(json);
  if (!success) return inner;
  // An order has them; of a lead they are what has the order's id.
  const own = 'phones' in json ? json : data.contacts;
  return own ? [[data.order_id, own as Record<string, unknown>], ...inner] : inner;
}

/** Whether every field that is shown is what it should be. */
function shown(should: object, { order_id: _, ...fields }: Record<string, unknown>): boolean {
  const expected = should as Record<string, unknown>;
  return Object.entries(fields).every(
    ([key, value]) => canonical(expected[key]) === canonical(value),
  );
}
