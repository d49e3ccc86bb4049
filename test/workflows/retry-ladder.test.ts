import { sql } from 'drizzle-orm';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { deliveries } from '../../drizzle/schema.ts';
import { PAUSE_POLICY } from '../../src/domain/health.ts';
import { RETRY_SCHEDULE } from '../../src/domain/retry-schedule.ts';
import { claimTasks } from '../../src/relay/claim-tasks.ts';
import { tellTemporal } from '../../src/relay/tell-temporal.ts';
import { createStack } from '../../src/stack.ts';
import { createWorker } from '../../src/temporal/worker.ts';
import { deliveryWorkflowId } from '../../src/domain/workflow-id.ts';
import type { deliverEvent } from '../../workflows/index.ts';
import { createTestActivities } from '../support/activities.ts';
import { deliveriesOf, deliveryOf, newCustomer } from '../support/customer.ts';
import { attemptTimesOf, timersOf } from '../support/history.ts';
import { startTestReceiver, type TestReceiver } from '../support/receiver.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { startSkippingTime } from '../support/skipping-time.ts';

/*
 * The real workflow, activities, database and receiver; only the workflow's clock skips. Those of
 * PostgreSQL and of the receiver do not.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LADDER = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];

/** What may pass, by a clock that does not skip, between two steps of a test. */
const LEEWAY_MS = 10_000;

let records: TestRecords;
let receiver: TestReceiver;
let environment: TestWorkflowEnvironment;
const stack = createStack();
/** How far ahead Postgres expected each attempt after the first, in milliseconds. */
let announced: { nextAttempt: number; expected: number }[];
/** Attempts that fail before one succeeds. */
let failures: number;

beforeAll(async () => {
  records = await createTestRecords();
  stack.push(() => records.close());
  receiver = await startTestReceiver();
  stack.push(() => receiver.close());
  receiver.answer = ({ path }, response) => {
    const count = receiver.received.filter((request) => request.path === path).length;
    const succeeds = path === '/good' || count > failures;
    void noteAnnounced(count).then(() => response.writeHead(succeeds ? 200 : 503).end());
  };
  environment = await startSkippingTime();
  stack.push(() => environment.teardown());
  const { activities, close } = createTestActivities(records.db, { origins: [receiver.origin] });
  stack.push(close);
  const worker = await createWorker({
    connection: environment.nativeConnection,
    namespace: 'default',
    taskQueue: 'ladder',
    workflowBundle: { codePath: inject('bundlePath') },
    activities,
  });
  const running = worker.run();
  stack.push(async () => {
    worker.shutdown();
    await running;
  });
}, 600_000);

afterAll(() => stack.close());

beforeEach(() => {
  receiver.received.length = 0;
  announced = [];
  failures = Infinity;
});

async function noteAnnounced(count: number): Promise<void> {
  if (count === 1) return;
  const [row] = await records.db
    .select({
      nextAttempt: sql<number>`extract(epoch from ${deliveries.nextAttemptAt} - now())::float`,
      expected: sql<number>`extract(epoch from ${deliveries.expectedAt} - now())::float`,
    })
    .from(deliveries)
    .where(sql`${deliveries.state} = 'retrying'`);
  if (row) {
    announced.push({ nextAttempt: row.nextAttempt * 1_000, expected: row.expected * 1_000 });
  }
}

/** Starts the workflow as the relay does and skips time until it completes. */
async function deliver(eventId: string) {
  const claimed = await claimTasks(records.db, { limit: 10, leaseMs: 60_000 });
  const event = claimed.find((candidate) => candidate.subjectId === eventId);
  if (!event) throw new Error('The event is not in the outbox.');
  const client = new Client({ connection: environment.nativeConnection });
  await tellTemporal({ client, taskQueue: 'ladder', pausePolicy: PAUSE_POLICY }, event);
  // Only the environment's own client makes the server skip.
  const id = deliveryWorkflowId(eventId);
  const handle = environment.client.workflow.getHandle<typeof deliverEvent>(id);
  const result = await handle.result();
  return { result, history: await handle.fetchHistory() };
}

/** What each attempt is due at, in milliseconds after the first one. */
function dueAfterFirst(attempts: number): number[] {
  return Array.from({ length: attempts }, (_, made) =>
    LADDER.slice(0, made).reduce((sum, wait) => sum + wait, 0),
  );
}

function expectOnLadder(times: number[], attempts: number): void {
  expect(times).toHaveLength(attempts);
  for (const [index, due] of dueAfterFirst(attempts).entries()) {
    const after = times[index]! - times[0]!;
    expect(after).toBeGreaterThanOrEqual(due);
    expect(after).toBeLessThan(due + LEEWAY_MS);
  }
}

it('has the waits of the specification built in (spec §8)', () => {
  expect(RETRY_SCHEDULE).toEqual(LADDER);
});

it('attempts at once and after 1 min, 5 min, 30 min, 2 h and 6 h, then fails (spec §§3.5, 8)', async () => {
  const customer = await newCustomer(records, `${receiver.origin}/bad`);
  const before = await environment.currentTimeMs();
  const eventId = await customer.move();
  const { result, history } = await deliver(eventId);

  expect(timersOf(history)).toEqual(LADDER);
  expectOnLadder(attemptTimesOf(history), 6);
  const took = (await environment.currentTimeMs()) - before;
  expect(took).toBeGreaterThanOrEqual(8 * HOUR + 36 * MINUTE);
  expect(receiver.received).toHaveLength(6);
  expect(result).toMatchObject([{ state: 'failed', attemptsMade: 6, lastResult: '503' }]);

  const delivery = await deliveryOf(records, eventId);
  expect(delivery).toMatchObject({ state: 'failed', attemptsMade: 6, lastStatusCode: 503 });
  expect(delivery.nextAttemptAt).toBeNull();
  expect(delivery.finishedAt).not.toBeNull();
  expect(delivery.attempts.map((attempt) => attempt.number)).toEqual([1, 2, 3, 4, 5, 6]);
});

it('shows in Postgres when the next attempt is due: now plus the wait', async () => {
  const customer = await newCustomer(records, `${receiver.origin}/bad`);
  await deliver(await customer.move());
  expect(announced).toHaveLength(LADDER.length);
  for (const [index, wait] of LADDER.entries()) {
    for (const ahead of Object.values(announced[index]!)) {
      expect(ahead).toBeLessThanOrEqual(wait);
      expect(ahead).toBeGreaterThan(wait - LEEWAY_MS);
    }
  }
});

it.each([1, 2, 3, 4, 5, 6])('ends with a 2xx at attempt %i', async (attempts) => {
  failures = attempts - 1;
  const customer = await newCustomer(records, `${receiver.origin}/recovers`);
  const eventId = await customer.move();
  const { result, history } = await deliver(eventId);
  expect(result).toMatchObject([{ state: 'delivered', attemptsMade: attempts, lastResult: '200' }]);
  expect(timersOf(history)).toEqual(LADDER.slice(0, attempts - 1));
  expectOnLadder(attemptTimesOf(history), attempts);
  expect(receiver.received).toHaveLength(attempts);
  const delivery = await deliveryOf(records, eventId);
  expect(delivery.state).toBe('delivered');
  expect(delivery.attempts.map((attempt) => attempt.statusCode)).toEqual([
    ...Array<number>(attempts - 1).fill(503),
    200,
  ]);
});

it('delivers to one endpoint at once while another fails to the end', async () => {
  const urls = [`${receiver.origin}/good`, `${receiver.origin}/bad`];
  const customer = await newCustomer(records, ...urls);
  const eventId = await customer.move();
  const { result } = await deliver(eventId);
  const [good, bad] = await deliveriesOf(records, eventId);
  expect(good).toMatchObject({ endpointId: customer.endpoints[0]!.id, state: 'delivered' });
  expect(good?.attempts).toHaveLength(1);
  expect(bad).toMatchObject({ endpointId: customer.endpoints[1]!.id, state: 'failed' });
  expect(bad?.attempts).toHaveLength(6);
  expect(receiver.received.filter(({ path }) => path === '/good')).toHaveLength(1);
  // Before the other's first retry.
  expect(receiver.received.slice(0, 2).map(({ path }) => path)).toContain('/good');
  expect(result.map(({ state }) => state).sort()).toEqual(['delivered', 'failed']);
});
