import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliveries, endpoints, events, eventSubjects, outbox } from '../../drizzle/schema.ts';
import { EVENT_CATALOGUE } from '../../src/events/catalogue.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { setEndpointState } from '../support/endpoint-state.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

const HOOK = 'https://hooks.example.com/in';

function dealEvent(accountId: string, subject: string) {
  const { sample } = EVENT_CATALOGUE['deal.status_changed'];
  return { accountId, type: 'deal.status_changed' as const, subject, data: sample };
}

function record(accountId: string, subject: string) {
  return records.db.transaction((tx) => recordEvent(tx, dealEvent(accountId, subject)));
}

test('an event, its deliveries and its place in the queue appear together, or not at all (spec §1.2)', async () => {
  const { id } = await records.newAccount();
  await records.newEndpoint(id, HOOK);
  const action = records.db.transaction(async (tx) => {
    await recordEvent(tx, dealEvent(id, 'deal:rolled-back'));
    throw new Error('the action failed');
  });
  await expect(action).rejects.toThrow('the action failed');
  expect(await records.db.select().from(events).where(eq(events.accountId, id))).toEqual([]);

  const event = await record(id, 'deal:kept');
  const [row] = await records.db.select().from(events).where(eq(events.accountId, id));
  const fanOut = await records.db.select().from(deliveries).where(eq(deliveries.accountId, id));
  const queued = await records.db.select().from(outbox).where(eq(outbox.subjectId, event.id));
  expect(JSON.parse(row?.body.toString('utf8') ?? '')).toEqual(event);
  expect(fanOut).toMatchObject([{ eventId: event.id, state: 'pending', attemptsMade: 0 }]);
  expect(queued).toHaveLength(1);
});

test('goes to the endpoints of its account that are subscribed to its type, and to no other (spec §6.2)', async () => {
  const [mine, other] = [await records.newAccount(), await records.newAccount()];
  const subscribed = await records.newEndpoint(mine.id, HOOK, ['deal.status_changed']);
  await records.newEndpoint(mine.id, HOOK, ['deal.closed']);
  const deleted = await records.newEndpoint(mine.id, HOOK);
  await setEndpointState(records, {
    ...{ accountId: mine.id, endpointId: deleted.id, state: 'deleted' },
  });
  await records.newEndpoint(other.id, HOOK);
  const event = await record(mine.id, 'deal:1');
  const rows = await records.db.select().from(deliveries).where(eq(deliveries.eventId, event.id));
  expect(rows.map((row) => row.endpointId)).toEqual([subscribed.id]);
});

test('for a paused endpoint it is logged as skipped, and nothing is queued', async () => {
  const { id: accountId } = await records.newAccount();
  const { id: endpointId } = await records.newEndpoint(accountId, HOOK);
  await setEndpointState(records, { accountId, endpointId, state: 'paused' });
  const event = await record(accountId, 'deal:1');
  const [delivery] = await records.db
    .select()
    .from(deliveries)
    .where(eq(deliveries.eventId, event.id));
  expect(delivery).toMatchObject({ state: 'skipped', skipReason: 'endpoint_paused' });
  expect(await records.db.select().from(outbox).where(eq(outbox.subjectId, event.id))).toEqual([]);
});

test('without any endpoint it is kept and nothing is queued', async () => {
  const { id } = await records.newAccount();
  const event = await record(id, 'deal:1');
  expect(await records.db.select().from(events).where(eq(events.id, event.id))).toHaveLength(1);
  expect(await records.db.select().from(outbox).where(eq(outbox.subjectId, event.id))).toEqual([]);
});

test('created_at of a subject is strictly later than the one before, even if the clock goes back', async () => {
  const { id } = await records.newAccount();
  const first = await record(id, 'deal:clock');
  await records.db
    .update(eventSubjects)
    .set({ lastEventAt: '2999-01-01T00:00:00.000000Z' })
    .where(eq(eventSubjects.accountId, id));
  const second = await record(id, 'deal:clock');
  expect(first.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect(second.created_at).toBe('2999-01-01T00:00:00.000001Z');
});

test('data that does not fit the catalogue throws, and the action is rolled back with it', async () => {
  const { id } = await records.newAccount();
  const event = dealEvent(id, 'deal:1');
  const wrong = { ...event, data: { ...event.data, county: undefined as unknown as string } };
  await expect(records.db.transaction((tx) => recordEvent(tx, wrong))).rejects.toThrow('county');
  expect(await records.db.select().from(events).where(eq(events.accountId, id))).toEqual([]);
});

test("a delivery of one account's event to another's endpoint cannot be stored", async () => {
  const [mine, other] = [await records.newAccount(), await records.newAccount()];
  const event = await record(mine.id, 'deal:1');
  const foreign = await records.newEndpoint(other.id, HOOK);
  for (const accountId of [mine.id, other.id]) {
    const stored = records.db.insert(deliveries).values({
      ...{ id: 'dlv_x', accountId, eventId: event.id, endpointId: foreign.id },
      ...{ eventType: event.type, eventAt: event.created_at },
      ...{ state: 'pending', expectedAt: sql`now()` },
    });
    await expect(stored).rejects.toMatchObject({ cause: { code: '23503' } });
  }
});

test('an event is delivered to an endpoint once: a second automatic delivery cannot be stored', async () => {
  const { id: accountId } = await records.newAccount();
  const { id: endpointId } = await records.newEndpoint(accountId, HOOK);
  const event = await record(accountId, 'deal:1');
  const again = records.db.insert(deliveries).values({
    ...{ id: 'dlv_again', accountId, eventId: event.id, endpointId },
    ...{ eventType: event.type, eventAt: event.created_at },
    ...{ state: 'pending', expectedAt: sql`now()` },
  });
  await expect(again).rejects.toMatchObject({ cause: { code: '23505' } });
});

test('endpoints without event types, and unknown states, cannot be stored', async () => {
  const { id: accountId } = await records.newAccount();
  const { id } = await records.newEndpoint(accountId, HOOK);
  const none = records.db.update(endpoints).set({ eventTypes: [] }).where(eq(endpoints.id, id));
  await expect(none).rejects.toMatchObject({ cause: { code: '23514' } });
  const odd = records.db.execute(sql`update endpoints set state = 'odd' where id = ${id}`);
  await expect(odd).rejects.toMatchObject({ cause: { code: '23514' } });
});
