import { asc, eq, inArray, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliveries, events, eventSubjects, outbox } from '../../drizzle/schema.ts';
import { EVENT_CATALOGUE } from '../../src/events/catalogue.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { recordEvents, type AnyNewEvent } from '../../src/events/record-events.ts';
import { setEndpointState } from '../support/endpoint-state.ts';
import { seededRandom, type SeededRandom } from '../support/random.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

const TYPES = ['deal.status_changed', 'deal.closed', 'lead.entered_hot'] as const;

/** Accounts with endpoints of all kinds; two calls make two worlds that are alike. */
async function newAccounts(): Promise<{ accountIds: string[]; endpointIds: string[] }> {
  const accountIds: string[] = [];
  const endpointIds: string[] = [];
  for (const endpoints of [[], [[...TYPES]], [[TYPES[0]], [TYPES[0], TYPES[2]], [TYPES[1]]]]) {
    const { id: accountId } = await records.newAccount();
    accountIds.push(accountId);
    for (const types of endpoints) {
      const { id } = await records.newEndpoint(accountId, 'https://hooks.example.com/in', types);
      endpointIds.push(id);
    }
  }
  await setEndpointState(records, {
    ...{ accountId: accountIds[2]!, endpointId: endpointIds[2]!, state: 'paused' },
  });
  return { accountIds, endpointIds };
}

interface Drawn {
  account: number;
  subject: string;
  type: (typeof TYPES)[number];
  mark: number;
}

function draw(random: SeededRandom, count: number): Drawn[] {
  return Array.from({ length: count }, (_, mark) => ({
    ...{ account: random.integer(3), subject: `thing:${random.integer(8)}`, mark },
    type: random.pick(TYPES),
  }));
}

function eventOf({ account, subject, type, mark }: Drawn, accountIds: string[]): AnyNewEvent {
  const accountId = accountIds[account]!;
  const { sample } = EVENT_CATALOGUE[type];
  const data = { ...sample, address: `"${mark}" \\ {é, \u{1f3e0}, \ud800, \u0000, NULL}\n` };
  return { accountId, type, subject, data } as AnyNewEvent;
}

/** Everything that was written for a world, without what is made up anew each time. */
async function written(world: Awaited<ReturnType<typeof newAccounts>>) {
  const { db } = records;
  const { accountIds, endpointIds } = world;
  const of = { events, deliveries, outbox };
  const rows = await db
    .select()
    .from(of.events)
    .where(inArray(of.events.accountId, accountIds))
    .orderBy(asc(of.events.accountId), asc(of.events.subject), asc(of.events.createdAt));
  const made = await db
    .select()
    .from(of.deliveries)
    .where(inArray(of.deliveries.accountId, accountIds))
    .orderBy(asc(of.deliveries.endpointId));
  const queued = await db.select().from(of.outbox).where(inArray(of.outbox.accountId, accountIds));
  return rows.map((event) => {
    const body = JSON.parse(event.body.toString('utf8')) as Record<string, unknown>;
    expect(body).toMatchObject({ id: event.id, created_at: event.createdAt });
    return {
      ...{ account: accountIds.indexOf(event.accountId), subject: event.subject, type: event.type },
      ...{ keys: Object.keys(body), data: body['data'] },
      deliveries: made
        .filter(({ eventId }) => eventId === event.id)
        .map(({ endpointId, state, skipReason, kind, eventAt, finishedAt, expectedAt }) => ({
          ...{ endpoint: endpointIds.indexOf(endpointId), state, skipReason, kind },
          ...{ atEvent: eventAt === event.createdAt, over: finishedAt !== null },
          expected: expectedAt !== null,
        })),
      queued: queued.filter(({ subjectId }) => subjectId === event.id).map(({ task }) => task),
    };
  });
}

test('many at a time leave the rows that they would leave one by one', async () => {
  const random = seededRandom();
  for (const count of [1, 2, 40, 700]) {
    const [together, single] = [await newAccounts(), await newAccounts()];
    const drawn = draw(random, count);
    const envelopes = await records.db.transaction((tx) =>
      recordEvents(
        tx,
        drawn.map((event) => eventOf(event, together.accountIds)),
      ),
    );
    await records.db.transaction(async (tx) => {
      for (const event of drawn) await recordEvent(tx, eventOf(event, single.accountIds));
    });
    expect(await written(together), random.description).toEqual(await written(single));
    // Answered in the order in which they were given.
    expect(envelopes.map(({ type, data }) => [type, data])).toEqual(
      drawn.map((event) => [event.type, eventOf(event, together.accountIds).data]),
    );
    const stored = await records.db
      .select()
      .from(events)
      .where(inArray(events.accountId, together.accountIds));
    const bodies = new Map(stored.map(({ id, body }) => [id, body.toString('utf8')]));
    for (const envelope of envelopes) {
      expect(bodies.get(envelope.id)).toBe(JSON.stringify(envelope));
    }
  }
});

test("a subject's events happen in the order in which they are given, even if the clock goes back", async () => {
  const { id: accountId } = await records.newAccount();
  const all = (count: number) =>
    records.db.transaction((tx) =>
      recordEvents(
        tx,
        Array.from({ length: count }, (_, mark) =>
          eventOf({ account: 0, subject: 'thing:clock', type: TYPES[0], mark }, [accountId]),
        ),
      ),
    );
  const first = await all(3);
  await records.db
    .update(eventSubjects)
    .set({ lastEventAt: '2999-01-01T00:00:00.999999Z' })
    .where(eq(eventSubjects.accountId, accountId));
  const second = await all(2);
  const third = await all(1);
  const times = [...first, ...second, ...third].map(({ created_at }) => created_at);
  expect(times.toSorted()).toEqual(times);
  expect(new Set(times).size).toBe(6);
  expect(times.slice(3)).toEqual([
    ...['2999-01-01T00:00:01.000000Z', '2999-01-01T00:00:01.000001Z'],
    '2999-01-01T00:00:01.000002Z',
  ]);
});

test('transactions that record about the same subjects in opposite orders do not lock each other out', async () => {
  const { id: accountId } = await records.newAccount();
  const subjects = Array.from({ length: 30 }, (_, i) => `thing:${i}`);
  const recordAll = (order: string[]) =>
    records.db.transaction((tx) =>
      recordEvents(
        tx,
        order.map((subject, mark) =>
          eventOf({ account: 0, subject, type: TYPES[0], mark }, [accountId]),
        ),
      ),
    );
  for (let round = 0; round < 10; round += 1) {
    await Promise.all([recordAll(subjects), recordAll(subjects.toReversed())]);
  }
  const [row] = await records.db.execute<{ count: number }>(
    sql`select count(*)::int as count from events where account_id = ${accountId}`,
  );
  expect(row?.count).toBe(600);
});

test('one that does not fit the catalogue leaves none of them', async () => {
  const { id: accountId } = await records.newAccount();
  const good = eventOf({ account: 0, subject: 'thing:1', type: TYPES[0], mark: 0 }, [accountId]);
  const wrong = { ...good, data: { ...good.data, county: 7 } } as never;
  const recording = records.db.transaction((tx) => recordEvents(tx, [good, wrong]));
  await expect(recording).rejects.toThrow('county');
  expect(await records.db.select().from(events).where(eq(events.accountId, accountId))).toEqual([]);
});

test('none is nothing', async () => {
  expect(await records.db.transaction((tx) => recordEvents(tx, []))).toEqual([]);
});
