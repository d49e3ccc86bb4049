import { WorkflowUpdateFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelUpdate, retryNowUpdate, stateQuery } from '../../workflows/contract.ts';
import {
  deliveryOf,
  eventually,
  finishedDelivery,
  newCustomer,
  type Customer,
} from '../support/customer.ts';
import {
  startScene,
  status,
  statuses,
  type Answer,
  type Hook,
  type Scene,
} from '../support/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene({ RETRY_SCHEDULE: '1h,2h' });
});

afterAll(() => scene.close());

interface Waiting {
  customer: Customer;
  hook: Hook;
  eventId: string;
  deliveryId: string;
}

/** A delivery that has failed once, unless the answer is another, and waits for its retry. */
async function waitingDelivery(answer: Answer = status(503)): Promise<Waiting> {
  const hook = scene.newHook(answer);
  const customer = await newCustomer(scene.records, hook.url);
  const eventId = await customer.move();
  const { deliveryId } = await scene.waitingForRetry(eventId);
  return { customer, hook, eventId, deliveryId };
}

/** An answer that lets the test decide when and how, for requests from the second on. */
function heldFromTheSecond(): { answer: Answer; finish: (code: number) => void } {
  let count = 0;
  let finish: (code: number) => void = () => undefined;
  return {
    finish: (code) => finish(code),
    answer(response, request) {
      count += 1;
      if (count === 1) return status(503)(response, request);
      finish = (code) => status(code)(response, request);
    },
  };
}

const retryNow = (eventId: string, deliveryId: string) =>
  scene.workflowOf(eventId).executeUpdate(retryNowUpdate, { args: [deliveryId] });

const cancel = (eventId: string, deliveryId: string) =>
  scene.workflowOf(eventId).executeUpdate(cancelUpdate, { args: [deliveryId] });

/** Expects an update to be refused with these words and to leave nothing in the history. */
async function expectRefused(eventId: string, update: () => Promise<unknown>, reason: RegExp) {
  const lengthOf = async () => (await scene.workflowOf(eventId).fetchHistory()).events?.length ?? 0;
  const before = await lengthOf();
  const refusal = await update().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(WorkflowUpdateFailedError);
  expect((refusal as WorkflowUpdateFailedError).cause?.message).toMatch(reason);
  expect(await lengthOf()).toBe(before);
}

async function workflowStatus(eventId: string): Promise<string> {
  return (await scene.workflowOf(eventId).describe()).status.name;
}

describe('the state query', () => {
  it('tells where a waiting delivery stands and when its next attempt is due', async () => {
    const { customer, eventId, deliveryId } = await waitingDelivery();
    const [shown] = await scene.workflowOf(eventId).query(stateQuery);
    const [endpoint] = customer.endpoints;
    expect(shown).toMatchObject({ deliveryId, endpointId: endpoint?.id, state: 'retrying' });
    expect(shown).toMatchObject({ attemptsMade: 1, lastResult: '503' });
    const { nextAttemptAt } = await deliveryOf(scene.records, eventId);
    const apart = Date.parse(shown?.nextAttemptAt ?? '') - Date.parse(nextAttemptAt ?? '');
    expect(Math.abs(apart)).toBeLessThan(10_000);
  });

  it('answers for a finished workflow too', async () => {
    const hook = scene.newHook();
    const eventId = await (await newCustomer(scene.records, hook.url)).move();
    await scene.completed(eventId);
    expect(await scene.workflowOf(eventId).query(stateQuery)).toMatchObject([
      { state: 'delivered', attemptsMade: 1, lastResult: '200', nextAttemptAt: null },
    ]);
  });
});

describe('retryNow', () => {
  it('makes the next attempt at once', async () => {
    const { hook, eventId, deliveryId } = await waitingDelivery(statuses(503, 200));
    await retryNow(eventId, deliveryId);
    const delivery = await finishedDelivery(scene.records, eventId);
    expect(delivery).toMatchObject({ state: 'delivered', attemptsMade: 2 });
    expect(hook.received).toHaveLength(2);
    expect(await scene.completed(eventId)).toMatchObject([{ state: 'delivered' }]);
  });

  it('uses up one attempt of the schedule: the last one ends in failed', async () => {
    const { hook, eventId, deliveryId } = await waitingDelivery();
    await retryNow(eventId, deliveryId);
    await eventually(async () => (await scene.waitingForRetry(eventId)).attemptsMade === 2);
    await retryNow(eventId, deliveryId);
    const delivery = await finishedDelivery(scene.records, eventId);
    expect(delivery).toMatchObject({ state: 'failed', attemptsMade: 3 });
    expect(hook.received).toHaveLength(3);
  });

  it('is refused while an attempt is under way, and leaves no trace', async () => {
    const held = heldFromTheSecond();
    const { hook, eventId, deliveryId } = await waitingDelivery(held.answer);
    await retryNow(eventId, deliveryId);
    await eventually(() => hook.received.length === 2);
    await expectRefused(eventId, () => retryNow(eventId, deliveryId), /under way/);
    held.finish(200);
    expect(await finishedDelivery(scene.records, eventId)).toMatchObject({ attemptsMade: 2 });
  });

  it('is refused for a delivery of another event, and leaves no trace', async () => {
    const [one, other] = [await waitingDelivery(), await waitingDelivery()];
    const update = () => retryNow(one.eventId, other.deliveryId);
    await expectRefused(one.eventId, update, /no delivery/);
    expect(other.hook.received).toHaveLength(1);
  });

  it('and cancel are refused for a final delivery while its sibling goes on', async () => {
    const [good, bad] = [scene.newHook(), scene.newHook(status(503))];
    const customer = await newCustomer(scene.records, good.url, bad.url);
    const eventId = await customer.move();
    const shown = await scene.statusesWhen(
      eventId,
      ([one, two]) => [one?.state, two?.state].sort().join() === 'delivered,retrying',
    );
    const { deliveryId } = shown.find(({ state }) => state === 'delivered')!;
    await expectRefused(eventId, () => retryNow(eventId, deliveryId), /is delivered/);
    await expectRefused(eventId, () => cancel(eventId, deliveryId), /is delivered/);
    expect(good.received).toHaveLength(1);
  });
});

describe('cancel', () => {
  it('ends a waiting delivery as skipped: cancelled, in Postgres too', async () => {
    const { hook, eventId, deliveryId } = await waitingDelivery();
    await cancel(eventId, deliveryId);
    expect(await scene.completed(eventId)).toMatchObject([
      { state: 'skipped', attemptsMade: 1, lastResult: 'cancelled', nextAttemptAt: null },
    ]);
    const delivery = await deliveryOf(scene.records, eventId);
    expect(delivery).toMatchObject({ state: 'skipped', skipReason: 'cancelled', attemptsMade: 1 });
    expect(delivery.nextAttemptAt).toBeNull();
    expect(hook.received).toHaveLength(1);
    expect(await workflowStatus(eventId)).toBe('COMPLETED');
  });

  it('takes effect after the attempt under way when that fails', async () => {
    const held = heldFromTheSecond();
    const { hook, eventId, deliveryId } = await waitingDelivery(held.answer);
    await retryNow(eventId, deliveryId);
    await eventually(() => hook.received.length === 2);
    expect(await cancel(eventId, deliveryId)).toMatchObject({ deliveryId, attemptsMade: 1 });
    held.finish(500);
    const delivery = await finishedDelivery(scene.records, eventId);
    expect(delivery).toMatchObject({ state: 'skipped', skipReason: 'cancelled', attemptsMade: 2 });
    expect(delivery.attempts.map(({ statusCode }) => statusCode)).toEqual([503, 500]);
    expect(await scene.completed(eventId)).toMatchObject([{ lastResult: 'cancelled' }]);
  });

  it('takes effect after the first attempt too, which runs inside a workflow task', async () => {
    let finish: (code: number) => void = () => undefined;
    const hook = scene.newHook((response, request) => {
      finish = (code) => status(code)(response, request);
    });
    const eventId = await (await newCustomer(scene.records, hook.url)).move();
    await eventually(() => hook.received.length === 1);
    const { id: deliveryId } = await deliveryOf(scene.records, eventId);
    const cancelling = cancel(eventId, deliveryId);
    finish(503);
    await cancelling;
    const delivery = await finishedDelivery(scene.records, eventId);
    expect(delivery).toMatchObject({ state: 'skipped', skipReason: 'cancelled', attemptsMade: 1 });
    expect(hook.received).toHaveLength(1);
  });

  it('comes too late for an attempt under way that succeeds', async () => {
    const held = heldFromTheSecond();
    const { hook, eventId, deliveryId } = await waitingDelivery(held.answer);
    await retryNow(eventId, deliveryId);
    await eventually(() => hook.received.length === 2);
    await cancel(eventId, deliveryId);
    held.finish(200);
    expect(await finishedDelivery(scene.records, eventId)).toMatchObject({ state: 'delivered' });
    expect(await scene.completed(eventId)).toMatchObject([{ state: 'delivered' }]);
  });

  it('leaves the other deliveries of the event alone', async () => {
    const [one, other] = [scene.newHook(status(503)), scene.newHook(statuses(503, 200))];
    const customer = await newCustomer(scene.records, one.url, other.url);
    const eventId = await customer.move();
    const shown = await scene.statusesWhen(eventId, (all) =>
      all.every(({ nextAttemptAt }) => nextAttemptAt !== null),
    );
    const idFor = (index: number) =>
      shown.find(({ endpointId }) => endpointId === customer.endpoints[index]?.id)!.deliveryId;
    await cancel(eventId, idFor(0));
    await retryNow(eventId, idFor(1));
    const ended = await scene.completed(eventId);
    expect(ended.map(({ state }) => state).sort()).toEqual(['delivered', 'skipped']);
    expect([one.received.length, other.received.length]).toEqual([1, 2]);
  });
});

describe('a workflow', () => {
  it('completes when its delivery has failed for good: only bugs fail workflows', async () => {
    const { eventId, deliveryId } = await waitingDelivery();
    await retryNow(eventId, deliveryId);
    await eventually(async () => (await scene.waitingForRetry(eventId)).attemptsMade === 2);
    await retryNow(eventId, deliveryId);
    expect(await scene.completed(eventId)).toMatchObject([
      { state: 'failed', attemptsMade: 3, lastResult: '503' },
    ]);
    expect(await workflowStatus(eventId)).toBe('COMPLETED');
  });

  it('shows operators in its details what each delivery is at', async () => {
    const { customer, eventId } = await waitingDelivery();
    const [endpoint] = customer.endpoints;
    const description = await scene.workflowOf(eventId).describe();
    expect(await description.staticSummary()).toBe('deal.status_changed to 1 endpoint');
    const metadata = await scene
      .workflowOf(eventId)
      .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toContain(`\`${endpoint?.id}\`: **retrying** after 1 attempt`);
    expect(metadata.currentDetails).toMatch(/last: 503, next at \d{4}-\d\d-\d\dT/);
  });
});
