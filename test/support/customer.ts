import { asc, desc, eq } from 'drizzle-orm';
import { vi } from 'vitest';
import { deliveries, events } from '../../drizzle/schema.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { showDelivery } from '../../src/deliveries/list-deliveries.ts';
import { notFound } from '../../src/errors.ts';
import type { TestRecords } from './records.ts';

/** An account with one deal and its endpoints; nothing has been sent to them yet. */
export interface Customer {
  accountId: string;
  endpoints: { id: string; secret: string }[];
  /** Moves the deal to another stage; answers the id of the event that this is. */
  move(): Promise<string>;
}

/** What the body of every test event contains of a person. */
export const BUYER = 'Ada Lovelace-Buyer';

/** A new account with one endpoint at each of these URLs. */
export async function newCustomer(records: TestRecords, ...urls: string[]): Promise<Customer> {
  const { id: accountId } = await records.newAccount();
  // Before there are endpoints, so that the event of its creation goes nowhere.
  const deal = await records.newDeal(accountId);
  const endpoints: Customer['endpoints'] = [];
  for (const url of urls) endpoints.push(await records.newEndpoint(accountId, url));
  let status = deal.status;
  return {
    accountId,
    endpoints,
    async move() {
      status = status === 'NEW' ? 'CONTACTED' : 'NEW';
      const changes = { buyer_name: BUYER };
      await moveDeal(records.context, { accountId, dealId: deal.id, to: status, changes });
      const [event] = await records.db
        .select({ id: events.id })
        .from(events)
        .where(eq(events.accountId, accountId))
        .orderBy(desc(events.createdAt))
        .limit(1);
      if (!event) throw notFound('event');
      return event.id;
    },
  };
}

export type LoggedDelivery = Awaited<ReturnType<typeof showDelivery>>;

/** An event's deliveries with their attempts, as the log shows them, the oldest endpoint first. */
export async function deliveriesOf(
  { db }: TestRecords,
  eventId: string,
): Promise<LoggedDelivery[]> {
  const rows = await db
    .select({ accountId: deliveries.accountId, deliveryId: deliveries.id })
    .from(deliveries)
    .where(eq(deliveries.eventId, eventId))
    .orderBy(asc(deliveries.endpointId));
  return Promise.all(rows.map((row) => showDelivery(db, row)));
}

/** The same for an event that goes to one endpoint. */
export async function deliveryOf(records: TestRecords, eventId: string): Promise<LoggedDelivery> {
  const [delivery, ...others] = await deliveriesOf(records, eventId);
  if (!delivery || others.length > 0) throw new Error('The event has not exactly one delivery.');
  return delivery;
}

/** Waits until all deliveries of an event are final. */
export async function finishedDeliveries(
  records: TestRecords,
  eventId: string,
): Promise<LoggedDelivery[]> {
  return eventually(async () => {
    const all = await deliveriesOf(records, eventId);
    return all.every((delivery) => delivery.finishedAt !== null) ? all : undefined;
  });
}

/** Waits until the only delivery of an event is final. */
export async function finishedDelivery(
  records: TestRecords,
  eventId: string,
): Promise<LoggedDelivery> {
  await finishedDeliveries(records, eventId);
  return deliveryOf(records, eventId);
}

/** Waits until the only delivery of an event has so many attempts in the log. */
export async function attemptedDelivery(
  records: TestRecords,
  eventId: string,
  attempts = 1,
): Promise<LoggedDelivery> {
  return eventually(async () => {
    const delivery = await deliveryOf(records, eventId);
    const { length } = delivery.attempts;
    return Math.min(length, delivery.attemptsMade) >= attempts ? delivery : undefined;
  });
}

/** Asks until the answer is truthy. */
export function eventually<T>(
  ask: () => T | Promise<T>,
): Promise<Exclude<Awaited<T>, false | null | undefined | 0 | ''>> {
  return vi.waitUntil(ask, { timeout: 40_000, interval: 25 }) as Promise<
    Exclude<Awaited<T>, false | null | undefined | 0 | ''>
  >;
}

/** The body bytes that Postgres keeps of an event. */
export async function storedBody({ db }: TestRecords, eventId: string): Promise<Buffer> {
  const [event] = await db.select({ body: events.body }).from(events).where(eq(events.id, eventId));
  if (!event) throw notFound('event');
  return event.body;
}
