import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createPurgeBatch, type PurgedBatch } from '../../src/deliveries/purge.ts';
import type { DeliveryState } from '../../src/domain/delivery.ts';
import { idFloor, type IdKind } from '../../src/ids.ts';
import { ensurePurgeSchedule } from '../../src/temporal/purge-schedule.ts';
import { testConfig } from '../support/config.ts';
import { startDelivering } from '../support/delivering.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;

let records: TestRecords;
let accountId: string;
let endpointId: string;

beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());
beforeEach(async () => {
  await records.db.execute(sql`truncate attempts, deliveries, events, replays, mails`);
  accountId = (await records.newAccount()).id;
  endpointId = (await records.newEndpoint(accountId, 'https://hooks.example.com/purge')).id;
});

function purgeBatch(retentionMs = RETENTION_DAYS * DAY_MS) {
  return createPurgeBatch({ db: records.db, retentionMs });
}

/** Every batch of a purge, as its workflow asks for them. */
async function purge(batch = purgeBatch()): Promise<PurgedBatch[]> {
  const batches: PurgedBatch[] = [];
  let cursor: string | null = null;
  do {
    const done: PurgedBatch = await batch({ cursor });
    batches.push(done);
    cursor = done.next;
  } while (cursor !== null);
  return batches;
}

function total(batches: PurgedBatch[]): { deliveries: number; events: number } {
  const sum = (of: 'deliveries' | 'events') => batches.reduce((all, batch) => all + batch[of], 0);
  return { deliveries: sum('deliveries'), events: sum('events') };
}

/** An id as it would have been made so many days ago, and that moment. */
function daysAgo(kind: IdKind, days: number): { id: string; at: string } {
  const date = new Date(Date.now() - days * DAY_MS);
  const id = `${idFloor(kind, date).slice(0, -20)}${randomBytes(10).toString('hex')}`;
  return { id, at: date.toISOString() };
}

async function newEvent(days: number): Promise<string> {
  const { id, at } = daysAgo('event', days);
  await records.db.execute(sql`
    insert into events (id, account_id, type, subject, created_at, body)
    values (${id}, ${accountId}, 'deal.status_changed', ${`deal:${id}`}, ${at}, '{}')`);
  return id;
}

/** A delivery with one attempt. Those that repeat an event come after its first. */
async function newDelivery(
  eventId: string,
  days: number,
  state: DeliveryState,
  redeliveryOf: string | null = null,
): Promise<string> {
  const { id, at } = daysAgo('delivery', days);
  const finishedAt = state === 'pending' || state === 'retrying' ? null : at;
  await records.db.execute(sql`
    insert into deliveries (id, account_id, kind, event_id, event_type, event_at, endpoint_id,
                            round, redelivery_of, state, skip_reason, attempts_made, created_at,
                            finished_at, expected_at)
    select ${id}, ${accountId},
           case when ${redeliveryOf}::text is null then 'automatic' else 'redelivery' end,
           e.id, e.type, e.created_at, ${endpointId},
           case when ${redeliveryOf}::text is null then 0 else 1 end, ${redeliveryOf},
           ${state}, case when ${state} = 'skipped' then 'cancelled' end, 1, ${at},
           ${finishedAt}::timestamptz, case when ${finishedAt}::text is null then now() end
    from events e where e.id = ${eventId}`);
  await records.db.execute(sql`
    insert into attempts (delivery_id, number, account_id, url, started_at, duration_ms, status_code)
    values (${id}, 1, ${accountId}, 'https://hooks.example.com/purge', ${at}, 12, 200)`);
  return id;
}

/** Many deliveries, each of an event of its own, made one after another so many days ago. */
async function manyDeliveries(count: number, days: number, finished = true): Promise<void> {
  const from = Date.now() - days * DAY_MS;
  const idAt = (prefix: string) =>
    sql`${prefix} || lpad(to_hex(${from}::bigint + i), 12, '0') || md5(i::text || ${from}::text)::char(20)`;
  const at = sql`to_timestamp((${from}::bigint + i) / 1000.0)`;
  await records.db.execute(sql`
    with made as (
      insert into events (id, account_id, type, subject, created_at, body)
      select ${idAt('evt_')}, ${accountId}, 'deal.status_changed', 'deal:' || i, ${at}, '{}'
      from generate_series(${count}::int, 1, -1) i
      returning id, created_at
    )
    insert into deliveries (id, account_id, event_id, event_type, event_at, endpoint_id, state,
                            created_at, finished_at, expected_at)
    select 'dlv_' || substr(id, 5), ${accountId}, id, 'deal.status_changed', created_at,
           ${endpointId}, ${finished ? 'delivered' : 'pending'}, created_at,
           ${finished ? sql`created_at` : sql`null`}, ${finished ? sql`null` : sql`created_at`}
    from made`);
}

async function idsOf(table: 'deliveries' | 'events' | 'replays' | 'mails'): Promise<string[]> {
  const rows = await records.db.execute(sql`select id from ${sql.identifier(table)} order by id`);
  return rows.map(({ id }) => String(id));
}

async function attempted(): Promise<string[]> {
  const rows = await records.db.execute(
    sql`select delivery_id as id from attempts order by delivery_id`,
  );
  return rows.map(({ id }) => String(id));
}

test('the log is kept for 30 days unless told otherwise (spec §8)', () => {
  expect(testConfig().logRetentionMs).toBe(30 * DAY_MS);
  expect(testConfig({ LOG_RETENTION: '1s' }).logRetentionMs).toBe(1_000);
  expect(testConfig({ LOG_RETENTION: '3650d' }).logRetentionMs).toBe(3650 * DAY_MS);
  for (const wrong of ['0s', '999ms', '3651d', 'forever']) {
    expect(() => testConfig({ LOG_RETENTION: wrong })).toThrow('LOG_RETENTION');
  }
});

test('what is finished and older than the retention goes, with its attempts and events', async () => {
  for (const state of ['delivered', 'failed', 'skipped'] as const) {
    await newDelivery(await newEvent(31), 31, state);
  }
  await newEvent(31); // nobody was subscribed to it
  const youngEvent = await newEvent(29);
  const young = await newDelivery(youngEvent, 29, 'delivered');
  const alone = await newEvent(1);

  expect(total(await purge())).toEqual({ deliveries: 3, events: 4 });
  expect(await idsOf('deliveries')).toEqual([young]);
  expect(await attempted()).toEqual([young]);
  expect(await idsOf('events')).toEqual([youngEvent, alone]);
  expect(total(await purge())).toEqual({ deliveries: 0, events: 0 });
});

test('what is unfinished stays however old, and so does its event', async () => {
  const event = await newEvent(300);
  const kept = [
    await newDelivery(event, 300, 'retrying'),
    await newDelivery(await newEvent(200), 200, 'pending'),
  ];
  const events = await idsOf('events');
  expect(total(await purge())).toEqual({ deliveries: 0, events: 0 });
  expect(await idsOf('deliveries')).toEqual(kept);
  expect(await attempted()).toEqual(kept);
  expect(await idsOf('events')).toEqual(events);
});

test('an event stays for as long as one of its deliveries does', async () => {
  const event = await newEvent(40);
  const first = await newDelivery(event, 40, 'failed');
  const again = await newDelivery(event, 2, 'delivered', first);
  expect(total(await purge())).toEqual({ deliveries: 1, events: 0 });
  expect(await idsOf('deliveries')).toEqual([again]);
  expect(await idsOf('events')).toEqual([event]);
});

test('the time of creation counts, not the one in the id', async () => {
  const event = await newEvent(40);
  const delivery = await newDelivery(event, 40, 'delivered');
  await records.db.execute(sql`update deliveries set created_at = now() where id = ${delivery}`);
  expect(total(await purge())).toEqual({ deliveries: 0, events: 0 });
});

test('replays and mails go once they are over', async () => {
  const replay = async (days: number, finishedDaysAgo: number | null) => {
    const { id, at } = daysAgo('replay', days);
    const finishedAt = finishedDaysAgo === null ? null : daysAgo('replay', finishedDaysAgo).at;
    await records.db.execute(sql`
      insert into replays (id, account_id, endpoint_id, actor, states, total, state, created_at,
                           finished_at)
      values (${id}, ${accountId}, ${endpointId}, 'owner', '{failed}', 1,
              ${finishedAt === null ? 'running' : 'done'}, ${at}, ${finishedAt})`);
    return id;
  };
  const mail = async (days: number, sent: boolean) => {
    const { id, at } = daysAgo('mail', days);
    await records.db.execute(sql`
      insert into mails (id, account_id, about, recipient, subject, body, created_at, expected_at,
                         sent_at)
      values (${id}, ${accountId}, ${id}, 'owner@example.com', 'paused', 'text', ${at},
              ${sent ? null : at}, ${sent ? at : null})`);
    return id;
  };
  await replay(40, 31);
  const replays = [await replay(50, null), await replay(40, 29), await replay(3, 3)];
  await mail(40, true);
  await mail(50, false);
  const mails = [await mail(29, false), await mail(28, true)];

  await purge();
  expect(await idsOf('replays')).toEqual(replays);
  expect(await idsOf('mails')).toEqual(mails);
});

test('much is removed in batches', async () => {
  await manyDeliveries(2_500, 40);
  const batches = await purge();
  expect(total(batches)).toEqual({ deliveries: 2_500, events: 2_500 });
  expect(Math.max(...batches.map(({ deliveries, events }) => deliveries + events))).toBe(1_000);
  expect(await idsOf('deliveries')).toEqual([]);
  expect(await idsOf('events')).toEqual([]);
});

test('old unfinished deliveries are passed over once, however many', async () => {
  await manyDeliveries(1_500, 50, false);
  await manyDeliveries(10, 40);
  const removed = (await purge()).map(({ deliveries }) => deliveries);
  expect(removed.slice(0, 2)).toEqual([0, 10]);
  expect(await idsOf('deliveries')).toHaveLength(1_500);
});

test('two purges at once remove everything, each row once', async () => {
  await manyDeliveries(5_000, 40);
  const both = await Promise.all([purge(), purge()]);
  expect(total(both.flat())).toEqual({ deliveries: 5_000, events: 5_000 });
  expect(await idsOf('events')).toEqual([]);
});

test('a delivery that somebody holds is passed over, without waiting, until the next day', async () => {
  const held = await newDelivery(await newEvent(40), 40, 'failed');
  await newDelivery(await newEvent(40), 40, 'failed');
  await records.db.transaction(async (tx) => {
    await tx.execute(sql`select 1 from deliveries where id = ${held} for update`);
    expect(total(await purge())).toEqual({ deliveries: 1, events: 1 });
  });
  expect(await idsOf('deliveries')).toEqual([held]);
  expect(total(await purge())).toEqual({ deliveries: 1, events: 1 });
});

test('the retention is as configured', async () => {
  await newDelivery(await newEvent(2), 2, 'delivered');
  expect(total(await purge(purgeBatch(3 * DAY_MS)))).toEqual({ deliveries: 0, events: 0 });
  expect(total(await purge(purgeBatch(1_000)))).toEqual({ deliveries: 1, events: 1 });
});

test('a cursor that is none of a purge is refused', async () => {
  await expect(purgeBatch()({ cursor: 'acct_1' })).rejects.toThrow('acct_1');
});

test('the schedule has the log purged by the workers', async () => {
  const taskQueue = `purge-${randomBytes(6).toString('hex')}`;
  const scheduleId = taskQueue;
  const { client, stop } = await startDelivering(records, { origins: [], taskQueue });
  const schedule = client.schedule.getHandle(scheduleId);
  try {
    // As when several workers start.
    const ensure = () => ensurePurgeSchedule(client, { taskQueue, scheduleId });
    await Promise.all([ensure(), ensure(), ensure()]);
    await schedule.pause('by the operator');
    await ensure();
    const { state, policies, info } = await schedule.describe();
    expect(state).toMatchObject({ paused: true, note: 'by the operator' });
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: DAY_MS });
    expect(info.nextActionTimes[0]?.getUTCHours()).toBe(9);

    await newDelivery(await newEvent(31), 31, 'delivered');
    const kept = await newDelivery(await newEvent(29), 29, 'delivered');
    await schedule.trigger();
    const action = await vi.waitUntil(
      async () => (await schedule.describe()).info.recentActions[0]?.action,
      { timeout: 30_000 },
    );
    const workflow = client.workflow.getHandle(action.workflow.workflowId);
    expect(await workflow.result()).toEqual({ deliveries: 1, events: 1 });
    expect(await idsOf('deliveries')).toEqual([kept]);
  } finally {
    await schedule.delete();
    await stop();
  }
});
