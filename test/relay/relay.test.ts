import { Client } from '@temporalio/client';
import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { accounts, deliveries, outbox } from '../../drizzle/schema.ts';
import { PAUSE_POLICY } from '../../src/domain/health.ts';
import { EVENT_CATALOGUE } from '../../src/events/catalogue.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { claimTasks } from '../../src/relay/claim-tasks.ts';
import { tellTemporal } from '../../src/relay/tell-temporal.ts';
import { connectTemporal } from '../../src/temporal/connect.ts';
import { startDelivering, type Delivering } from '../support/delivering.ts';
import { startTestReceiver, type TestReceiver } from '../support/receiver.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
let receiver: TestReceiver;
const running: Delivering[] = [];

beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());
beforeEach(async () => void (receiver = await startTestReceiver()));
afterEach(async () => {
  for (const delivering of running.splice(0)) await delivering.stop();
  await receiver.close();
});

const LEASE_MS = 500;

async function deliver(options: { taskQueue?: string } = {}): Promise<Delivering> {
  const delivering = await startDelivering(records, {
    ...{ origins: [receiver.origin], relay: { leaseMs: LEASE_MS }, ...options },
  });
  running.push(delivering);
  return delivering;
}

async function accountWithEndpoint(): Promise<string> {
  const { id } = await records.newAccount();
  await records.newEndpoint(id, receiver.origin);
  return id;
}

function claim() {
  return claimTasks(records.db, { limit: 10, leaseMs: LEASE_MS });
}

let subjects = 0;
function record(accountId: string) {
  const { sample } = EVENT_CATALOGUE['deal.status_changed'];
  const subject = `deal:relay_${(subjects += 1)}`;
  return records.db.transaction((tx) =>
    recordEvent(tx, { accountId, type: 'deal.status_changed', subject, data: sample }),
  );
}

function eventIds(): string[] {
  return receiver.received.map(({ headers }) => String(headers['x-svc-event-id']));
}

async function allDelivered(): Promise<boolean> {
  const open = await records.db
    .select()
    .from(deliveries)
    .where(sql`finished_at is null`);
  const queued = await records.db.select().from(outbox);
  return open.length === 0 && queued.length === 0;
}

test('two relays at once start each event once', async () => {
  const accountId = await accountWithEndpoint();
  const taskQueue = 'two-relays';
  await deliver({ taskQueue });
  await deliver({ taskQueue });
  const events = await Promise.all(Array.from({ length: 100 }, () => record(accountId)));
  await vi.waitUntil(allDelivered, { timeout: 30_000 });
  expect(eventIds().toSorted()).toEqual(events.map(({ id }) => id).toSorted());
});

test('a relay that dies between claim and start: another starts the event when the lease ends', async () => {
  const event = await record(await accountWithEndpoint());
  const claimed = await claim();
  expect(claimed.map(({ task, subjectId }) => [task, subjectId])).toContainEqual([
    ...['event', event.id],
  ]);
  expect(await claim()).toEqual([]);
  await deliver();
  await vi.waitUntil(allDelivered, { timeout: 30_000 });
  expect(eventIds()).toEqual([event.id]);
});

test('a relay that dies between start and mark: the workflow that exists counts as started', async () => {
  const event = await record(await accountWithEndpoint());
  const taskQueue = 'start-without-mark';
  const claimed = (await claim()).find(({ task }) => task === 'event');
  const connection = await connectTemporal(inject('temporalAddress'));
  const client = new Client({ connection });
  await tellTemporal({ client, taskQueue, pausePolicy: PAUSE_POLICY }, claimed!);
  await connection.close();
  await deliver({ taskQueue });
  await vi.waitUntil(allDelivered, { timeout: 30_000 });
  expect(eventIds()).toEqual([event.id]);
});

test('an event that Temporal refuses holds no other up, and says why', async () => {
  const longId = `acct_${'x'.repeat(80)}`; // longer than a fairness key may be
  await records.db.insert(accounts).values({ id: longId, email: 'x@example.com', plan: 'pro' });
  await records.newEndpoint(longId, receiver.origin);
  const bad = await record(longId);
  const good = await record(await accountWithEndpoint());
  await deliver();
  await vi.waitUntil(() => eventIds().includes(good.id), { timeout: 30_000 });
  const refused = await vi.waitUntil(
    async () => {
      const [row] = await records.db.select().from(outbox).where(eq(outbox.subjectId, bad.id));
      return row?.lastError ? row : undefined;
    },
    { timeout: 30_000 },
  );
  expect(refused.lastError).not.toBe('');
  expect(eventIds()).not.toContain(bad.id);
  await records.db.delete(outbox).where(eq(outbox.accountId, longId));
  await records.db.execute(sql`
    update deliveries set state = 'failed', finished_at = now(), expected_at = null
    where event_id = ${bad.id}`);
});

test('NOTIFY only shortens the wait: with the listening connection cut, events still go out', async () => {
  const accountId = await accountWithEndpoint();
  await deliver();
  const first = await record(accountId);
  await vi.waitUntil(() => eventIds().includes(first.id), { timeout: 30_000 });
  const cut = await records.db.execute(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'lead-events relay'`);
  expect(cut).toHaveLength(1);
  const second = await record(accountId);
  await vi.waitUntil(() => eventIds().includes(second.id), { timeout: 30_000 });
});

test('a delivery whose workflow was never started is found overdue and delivered', async () => {
  const event = await record(await accountWithEndpoint());
  await records.db.delete(outbox).where(eq(outbox.subjectId, event.id));
  await records.db
    .update(deliveries)
    .set({ expectedAt: sql`now() - interval '61 seconds'` })
    .where(eq(deliveries.eventId, event.id));
  await deliver();
  await vi.waitUntil(() => eventIds().includes(event.id), { timeout: 30_000 });
});

test('a workflow that was ended from outside is followed by another, because Postgres says unfinished', async () => {
  const accountId = await accountWithEndpoint();
  receiver.answer = (_request, response) => void response.writeHead(500).end();
  const { client } = await deliver();
  const event = await record(accountId);
  const delivery = () =>
    records.db.query.deliveries.findFirst({ where: eq(deliveries.eventId, event.id) });
  await vi.waitUntil(async () => (await delivery())?.state === 'retrying', { timeout: 30_000 });
  await client.workflow.getHandle(`delivery:${event.id}`).terminate('by mistake');
  receiver.answer = (_request, response) => void response.writeHead(200).end();
  await records.db
    .update(deliveries)
    .set({ expectedAt: sql`now() - interval '61 seconds'`, nextAttemptAt: sql`now()` })
    .where(eq(deliveries.eventId, event.id));
  // A fresh relay looks for overdue deliveries when it starts.
  await deliver();
  await vi.waitUntil(async () => (await delivery())?.state === 'delivered', { timeout: 30_000 });
  expect(await delivery()).toMatchObject({ attemptsMade: 2 });
});

test('accounts whose tasks wait for another try do not take the turns of others', async () => {
  const blocked = Array.from({ length: 60 }, (_, i) => `acct_00${String(i).padStart(4, '0')}`);
  await records.db
    .insert(accounts)
    .values(blocked.map((id) => ({ id, email: 'x@example.com', plan: 'free' as const })));
  await records.db.insert(outbox).values(
    blocked.map((accountId) => ({
      ...{ key: `mail:${accountId}`, task: 'mail' as const, accountId, subjectId: accountId },
      ...{ availableAt: sql`now() + interval '4 minutes'`, tries: 9, lastError: 'refused' },
    })),
  );
  const event = await record(await accountWithEndpoint());
  await deliver();
  await vi.waitUntil(() => eventIds().includes(event.id), { timeout: 30_000 });
  await records.db.delete(outbox).where(sql`key like 'mail:acct_00%'`);
});

test('accounts take turns: one with much queued does not hold up another', async () => {
  const [busy, quiet] = [await accountWithEndpoint(), await accountWithEndpoint()];
  for (let i = 0; i < 50; i += 1) await record(busy);
  const last = await record(quiet);
  const first = await claimTasks(records.db, { limit: 10, leaseMs: 60_000 });
  expect(first.map(({ subjectId }) => subjectId)).toContain(last.id);
  await records.db.update(outbox).set({ availableAt: sql`now()` });
  await deliver();
  await vi.waitUntil(allDelivered, { timeout: 30_000 });
});
