import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { deliveries, outbox } from '../../drizzle/schema.ts';
import { WORKER_LIMITS } from '../../src/temporal/worker.ts';
import { retryNowUpdate } from '../../workflows/contract.ts';
import { eventually, finishedDelivery, newCustomer } from '../support/customer.ts';
import { startScene, status, statuses, type Answer, type Scene } from '../support/scene.ts';

const LIMIT = 2;
const SLOW_EVENTS = 8;
const FAST_EVENTS = 12;
/** More than a worker has slots. */
const HUNG_EVENTS = WORKER_LIMITS.maxConcurrentActivityTaskExecutions + 60;

let scene: Scene;

beforeAll(async () => {
  scene = await startScene({
    ...{ IN_FLIGHT_PER_ENDPOINT: String(LIMIT), RETRY_SCHEDULE: '1h' },
    // What hangs is not ended before a test lets it go.
    DELIVERY_TIMEOUT: '90s',
  });
});

afterAll(() => scene.close());

/** An answer that holds every request back until it is released, and counts how many it holds. */
function gate() {
  let held: (() => void)[] = [];
  const answer: Answer = (response, request) => {
    held.push(() => status(200)(response, request));
  };
  return {
    answer,
    get held() {
      return held.length;
    },
    release() {
      for (const reply of held) reply();
      held = [];
    },
  };
}

it('a slow endpoint has as many requests at once as its limit, and holds up no other account', async () => {
  const slowGate = gate();
  const slowHook = scene.newHook(slowGate.answer);
  const fastHook = scene.newHook();
  const slow = await newCustomer(scene.records, slowHook.url);
  const fast = await newCustomer(scene.records, fastHook.url);

  const slowEvents: string[] = [];
  for (let n = 0; n < SLOW_EVENTS; n += 1) slowEvents.push(await slow.move());
  await eventually(() => slowGate.held === LIMIT);

  const fastEvents: string[] = [];
  for (let n = 0; n < FAST_EVENTS; n += 1) fastEvents.push(await fast.move());
  await eventually(() => fastHook.received.length === FAST_EVENTS);
  for (const id of fastEvents) {
    expect(await finishedDelivery(scene.records, id)).toMatchObject({ state: 'delivered' });
  }
  // All that while the slow endpoint has answered nothing, and got no more than its share.
  expect(slowGate.held).toBe(LIMIT);
  expect(slowHook.received).toHaveLength(LIMIT);

  let mostOpen = 0;
  slowHook.answer = (response, request) => {
    mostOpen = Math.max(mostOpen, slowHook.open);
    setTimeout(() => status(200)(response, request), 50);
  };
  slowGate.release();
  for (const id of slowEvents) {
    const delivery = await finishedDelivery(scene.records, id);
    expect(delivery).toMatchObject({ state: 'delivered', attemptsMade: 1 });
  }
  expect(slowHook.received).toHaveLength(SLOW_EVENTS);
  expect(mostOpen).toBeLessThanOrEqual(LIMIT);
});

it('an endpoint that failed does not lose its place: later events reach it in their own attempts', async () => {
  const hook = scene.newHook(status(503));
  const customer = await newCustomer(scene.records, hook.url);
  await scene.waitingForRetry(await customer.move());
  hook.answer = status(200);
  const delivery = await finishedDelivery(scene.records, await customer.move());
  expect(delivery).toMatchObject({ state: 'delivered', attemptsMade: 1 });
  expect(hook.received).toHaveLength(2);
});

it('many events for an endpoint that hangs hold up no retry of another, and come when it recovers', async () => {
  const hungGate = gate();
  const hungHook = scene.newHook(hungGate.answer);
  const hung = await newCustomer(scene.records, hungHook.url);
  const hungEvents: string[] = [];
  for (let n = 0; n < HUNG_EVENTS; n += 1) hungEvents.push(await hung.move());
  await eventually(() => hungGate.held === LIMIT);
  await eventually(async () => {
    const queued = await scene.records.db
      .select({ key: outbox.key })
      .from(outbox)
      .where(eq(outbox.accountId, hung.accountId));
    return queued.length === 0;
  });

  // Those that were sent away are not taken for lost, but for the few that wait for their turn.
  await eventually(async () => {
    const away = await scene.records.db.$count(
      deliveries,
      and(eq(deliveries.accountId, hung.accountId), gt(deliveries.expectedAt, sql`now()`)),
    );
    return away >= HUNG_EVENTS - 5 * LIMIT;
  });

  // A retry is an ordinary activity: it needs a slot like those that wait for the hanging endpoint.
  const failing = scene.newHook(statuses(503, 200));
  const other = await newCustomer(scene.records, failing.url);
  const retried = await other.move();
  const { deliveryId } = await scene.waitingForRetry(retried);
  const askedAt = Date.now();
  await scene.workflowOf(retried).executeUpdate(retryNowUpdate, { args: [deliveryId] });
  await finishedDelivery(scene.records, retried);
  expect(Date.now() - askedAt).toBeLessThan(5_000);
  expect(hungHook.received).toHaveLength(LIMIT);

  hungHook.answer = status(200);
  hungGate.release();
  // Ten a second come back, at the least.
  const left = () =>
    scene.records.db.$count(
      deliveries,
      and(eq(deliveries.accountId, hung.accountId), isNull(deliveries.finishedAt)),
    );
  await vi.waitUntil(async () => (await left()) === 0, { timeout: 120_000, interval: 250 });
  for (const id of hungEvents) {
    const delivery = await finishedDelivery(scene.records, id);
    expect(delivery).toMatchObject({ state: 'delivered', attemptsMade: 1 });
  }
  expect(hungHook.received).toHaveLength(HUNG_EVENTS);
}, 240_000);
