import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { campaigns, deliveries, orders, outbox } from '../../drizzle/schema.ts';
import { COUNT_STATEMENT, readRecordCounts } from '../../src/metrics/record-counts.ts';
import { advanceCampaign } from '../../src/postcards/advance-campaign.ts';
import { cancelOrders } from '../../src/skip-trace/cancel-orders.ts';
import { newAddressees, newCampaign } from '../postcards/mailing.ts';
import { paidBatch } from '../skip-trace/tracing.ts';
import { newCustomer } from '../support/customer.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { setEndpointState } from '../support/endpoint-state.ts';

/* No relay runs here: what is recorded stays as it is. */
let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

const counts = () => readRecordCounts(records.database.sql);

test('an empty database has nothing to count', async () => {
  expect(await counts()).toEqual({
    ...{ outbox: {}, outboxRefused: 0, outboxOldestSeconds: 0 },
    ...{ unfinished: {}, overdue: 0, endpoints: {}, mailsUnsent: 0, replaysRunning: 0 },
    ...{ skipTracesWaiting: 0, skipTraceOldestSeconds: 0, campaignsOverdue: 0 },
    rescore: null,
  });
});

test('what waits is counted by what it is, with the age of the oldest', async () => {
  const customer = await newCustomer(records, 'https://one.example.com', 'https://two.example.com');
  const eventId = await customer.move();
  const before = await counts();
  expect(before).toMatchObject({
    outbox: { event: 1 },
    ...{ outboxRefused: 0, unfinished: { pending: 2 }, overdue: 0, endpoints: { healthy: 2 } },
  });
  expect(before.outboxOldestSeconds).toBeLessThan(30);

  await records.db
    .update(outbox)
    .set({ availableAt: sql`now() - interval '90 seconds'`, lastError: 'away' })
    .where(eq(outbox.subjectId, eventId));
  await records.db
    .update(deliveries)
    .set({ expectedAt: sql`now() - interval '61 seconds'` })
    .where(eq(deliveries.endpointId, customer.endpoints[0]!.id));
  await records.database.sql`update endpoints set failing_since = now()
    where id = ${customer.endpoints[0]!.id}`;
  const { accountId } = customer;
  for (const state of ['paused', 'deleted'] as const) {
    const { id: endpointId } = await records.newEndpoint(accountId, `https://${state}.example.com`);
    await setEndpointState(records, { accountId, endpointId, state });
  }
  const after = await counts();
  expect(after).toMatchObject({
    ...{ outboxRefused: 1, overdue: 1, endpoints: { healthy: 1, failing: 1, paused: 1 } },
  });
  expect(after.outboxOldestSeconds).toBeGreaterThan(89);
  expect(after.outboxOldestSeconds).toBeLessThan(120);

  // A claim or a wait moves a row ahead: nobody is late with it.
  await records.db.update(outbox).set({ availableAt: sql`now() + interval '10 seconds'` });
  expect((await counts()).outboxOldestSeconds).toBe(0);
});

test('the newest rescore is told of', async () => {
  await records.database.sql`
    insert into rescore_runs (id, trigger, day, parcels_expected, state, scored_at, finished_at)
    values ('run_1', 'schedule', '2026-01-05', 3, 'finished', now(), now())`;
  await records.database.sql`
    insert into rescore_runs (id, trigger, day, parcels_expected, parcels, changed, events, held_back)
    values ('run_2', 'request', '2026-01-12', 9, 5, 4, 3, 2)`;
  const { rescore } = await counts();
  const told = { parcels: 5, parcelsExpected: 9, changed: 4, events: 3, heldBack: 2 };
  expect(rescore).toMatchObject({ running: true, ...told });
  expect(Math.abs(Date.now() / 1_000 - (rescore?.startedAt ?? 0))).toBeLessThan(60);
});

test('of the tables that grow it reads what is unfinished, by its indexes', async () => {
  const customer = await newCustomer(records, 'https://log.example.com');
  const eventId = await customer.move();
  const { sql: run } = records.database;
  // A log that is long, and finished but for a few.
  await run`insert into events (id, account_id, type, subject, created_at, body)
    select 'evt_fill_' || n, account_id, type, 'fill:' || n, created_at, body
    from events, generate_series(1, 100000) n where id = ${eventId}`;
  await run`insert into deliveries
      (id, account_id, event_id, event_type, event_at, endpoint_id, state, finished_at)
    select 'dlv_fill_' || n, account_id, 'evt_fill_' || n, event_type, event_at, endpoint_id,
           'delivered', now()
    from deliveries, generate_series(1, 100000) n where event_id = ${eventId}`;
  await run`insert into mails (id, account_id, about, recipient, subject, body, expected_at, sent_at)
    select 'mail_fill_' || n, id, 'fill:' || n, 'a@example.com', '', '', null, now()
    from accounts, generate_series(1, 20000) n where id = ${customer.accountId}`;
  for (const analyzed of [false, true]) {
    if (analyzed) await run`analyze`;
    const [row] = await run.unsafe<[{ 'QUERY PLAN': [{ Plan: Plan }] }]>(
      `explain (analyze, buffers, format json) ${COUNT_STATEMENT}`,
    );
    const scans = scansOf(row['QUERY PLAN'][0].Plan);
    const read = (table: string) => scans.filter((scan) => scan['Relation Name'] === table);
    expect(read('deliveries').length).toBeGreaterThan(0);
    for (const scan of [...read('deliveries'), ...read('mails')]) {
      expect(scan['Node Type'], JSON.stringify(scan)).toMatch(/Index|Bitmap/);
      expect(scan['Actual Rows']).toBeLessThan(20);
      expect(scan['Shared Hit Blocks'] + scan['Shared Read Blocks']).toBeLessThan(100);
    }
  }
});

test('skip traces that wait, and campaigns that do not move on', async () => {
  const { db, context } = records;
  const { id: accountId } = await records.newAccount();
  const parcels = await newAddressees(records, 2);
  const { batchId } = await paidBatch(records, accountId, parcels);
  const { campaign } = await newCampaign(records, accountId, parcels);
  await advanceCampaign(context, { accountId, campaignId: campaign.id });
  expect(await counts()).toMatchObject({ skipTracesWaiting: 2, campaignsOverdue: 0 });
  await db
    .update(orders)
    .set({ paidAt: sql`now() - interval '90 seconds'` })
    .where(eq(orders.batchId, batchId));
  await db.update(campaigns).set({ dueAt: sql`now() - interval '61 seconds'` });
  const late = await counts();
  expect(late.campaignsOverdue).toBe(1);
  expect(late.skipTraceOldestSeconds).toBeGreaterThan(89);
  expect(late.skipTraceOldestSeconds).toBeLessThan(120);
  await cancelOrders(context, { accountId, batchId });
  expect(await counts()).toMatchObject({ skipTracesWaiting: 0, skipTraceOldestSeconds: 0 });
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}

/** Every node of a plan. */
function scansOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(scansOf)];
}
