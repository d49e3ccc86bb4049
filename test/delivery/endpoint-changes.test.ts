import { eq } from 'drizzle-orm';
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints, outbox } from '../../drizzle/schema.ts';
import { resumeEndpoint } from '../../src/endpoints/resume-endpoint.ts';
import { updateEndpoint } from '../../src/endpoints/update-endpoint.ts';
import { retryNowUpdate } from '../../workflows/contract.ts';
import {
  attemptedDelivery,
  deliveriesOf,
  deliveryOf,
  eventually,
  finishedDelivery,
  newCustomer,
} from '../support/customer.ts';
import { setEndpointState } from '../support/endpoint-state.ts';
import { startScene, status, type Hook, type Scene } from '../support/scene.ts';
import { verifyReceipt } from './receipt.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene({ RETRY_SCHEDULE: '1h,2h' });
});

afterAll(() => scene.close());

/** Which endpoint is meant, as the verbs take it. */
interface Which {
  accountId: string;
  endpointId: string;
}

/** A delivery that failed once and waits for its retry. */
async function inMidRetry() {
  const hook = scene.newHook(status(503));
  const customer = await newCustomer(scene.records, hook.url);
  const eventId = await customer.move();
  const { deliveryId } = await scene.waitingForRetry(eventId);
  const which: Which = { accountId: customer.accountId, endpointId: customer.endpoints[0]!.id };
  return {
    ...{ hook, customer, eventId, which },
    /** Makes the next attempt, whenever it would be due. */
    retry: () => scene.workflowOf(eventId).executeUpdate(retryNowUpdate, { args: [deliveryId] }),
  };
}

const setState = (which: Which, state: 'active' | 'paused' | 'deleted') =>
  setEndpointState(scene.records, { ...which, state });

const change = (which: Which, changes: { url?: string; eventTypes?: string[] }) =>
  updateEndpoint(
    { ...scene.records.context, checkUrl: (raw) => Promise.resolve(new URL(raw)) },
    { ...which, ...changes },
  );

/** Expects the only delivery of an event to have ended after its first attempt, unsent since. */
async function expectSkipped(eventId: string, hook: Hook, skipReason: string): Promise<void> {
  const delivery = await finishedDelivery(scene.records, eventId);
  expect(delivery).toMatchObject({ state: 'skipped', skipReason, attemptsMade: 1 });
  expect(delivery.attempts).toHaveLength(1);
  expect(hook.received).toHaveLength(1);
  expect(await scene.completed(eventId)).toMatchObject([
    { state: 'skipped', attemptsMade: 1, lastResult: skipReason },
  ]);
}

describe('what is under way when its endpoint is taken away ends at once, and so does its workflow', () => {
  it.each([
    ['paused', 'endpoint_paused'],
    ['deleted', 'endpoint_deleted'],
  ] as const)('%s: skipped as %s, without a request', async (state, skipReason) => {
    const { hook, eventId, which } = await inMidRetry();
    await setState(which, state);
    expect(await deliveryOf(scene.records, eventId)).toMatchObject({
      state: 'skipped',
      skipReason,
    });
    await expectSkipped(eventId, hook, skipReason);
  });

  it('paused and resumed at once: it stays skipped, and waits to be replayed', async () => {
    const { hook, eventId, which } = await inMidRetry();
    await setState(which, 'paused');
    const { waiting } = await resumeEndpoint(scene.records.context, which);
    expect(waiting).toBe(1);
    await expectSkipped(eventId, hook, 'endpoint_paused');
  });

  it('an attempt in flight meanwhile is kept, and its 2xx makes the delivery delivered', async () => {
    const hook = scene.newHook((response) => void waiting.push(() => response.end('ok')));
    const waiting: (() => void)[] = [];
    const customer = await newCustomer(scene.records, hook.url);
    const eventId = await customer.move();
    await eventually(() => waiting.length > 0);
    await setState(
      { accountId: customer.accountId, endpointId: customer.endpoints[0]!.id },
      'paused',
    );
    expect(await deliveryOf(scene.records, eventId)).toMatchObject({ state: 'skipped' });
    for (const answer of waiting) answer();
    const delivery = await attemptedDelivery(scene.records, eventId);
    expect(delivery).toMatchObject({ state: 'delivered', skipReason: null, attemptsMade: 1 });
    expect(await scene.completed(eventId)).toMatchObject([{ state: 'delivered' }]);
  });
});

describe('a change in mid-retry takes effect at the next attempt', () => {
  it('unsubscribed from the type: skipped, without a request', async () => {
    const { hook, eventId, which, retry } = await inMidRetry();
    await change(which, { eventTypes: ['rescore.summary'] });
    await retry();
    await expectSkipped(eventId, hook, 'unsubscribed');
  });

  it('a new URL is used, and the log shows which attempt went where', async () => {
    const { hook, customer, eventId, which, retry } = await inMidRetry();
    const moved = scene.newHook();
    await change(which, { url: moved.url });
    await retry();
    const delivery = await finishedDelivery(scene.records, eventId);
    expect(delivery.state).toBe('delivered');
    expect(delivery.attempts.map(({ url }) => url)).toEqual([hook.url, moved.url]);
    expect([hook.received.length, moved.received.length]).toEqual([1, 1]);
    expect(moved.received[0]?.body.equals(hook.received[0]!.body)).toBe(true);
    const { secret } = customer.endpoints[0]!;
    expect(await verifyReceipt(moved.received[0]!, secret)).toBe('accepted');
  });

  it('a secret that does not open is our fault: no request, no failed attempt', async () => {
    const { hook, eventId, which, retry } = await inMidRetry();
    const own = eq(endpoints.id, which.endpointId);
    const [before] = await scene.records.db.select().from(endpoints).where(own);
    await scene.records.db
      .update(endpoints)
      .set({ sealedSecret: Buffer.from('damaged') })
      .where(own);
    hook.answer = status(200);
    await retry();
    const pendingFailure = async () => {
      const { raw } = await scene.describe(eventId);
      return raw.pendingActivities?.[0]?.lastFailure?.message;
    };
    await expect.poll(pendingFailure, { timeout: 20_000 }).toMatch(/signing secret/);
    expect(await deliveryOf(scene.records, eventId)).toMatchObject({ state: 'retrying' });
    expect(hook.received).toHaveLength(1);
    await scene.records.db.update(endpoints).set({ sealedSecret: before!.sealedSecret }).where(own);
    expect(await finishedDelivery(scene.records, eventId)).toMatchObject({ state: 'delivered' });
  });
});

describe('an event for a paused endpoint', () => {
  it('is logged as skipped, and no workflow is started when nothing is pending', async () => {
    const hook = scene.newHook();
    const customer = await newCustomer(scene.records, hook.url);
    const which = { accountId: customer.accountId, endpointId: customer.endpoints[0]!.id };
    await setState(which, 'paused');
    const whilePaused = await customer.move();
    const delivery = await deliveryOf(scene.records, whilePaused);
    expect(delivery).toMatchObject({ state: 'skipped', skipReason: 'endpoint_paused' });
    expect(delivery).toMatchObject({ attemptsMade: 0, attempts: [], nextAttemptAt: null });
    const { db } = scene.records;
    expect(await db.select().from(outbox).where(eq(outbox.subjectId, whilePaused))).toEqual([]);

    // A later event has been through the relay: it has passed over the earlier one.
    await setState(which, 'active');
    const later = await customer.move();
    expect(await finishedDelivery(scene.records, later)).toMatchObject({ state: 'delivered' });
    const missing = scene.workflowOf(whilePaused).describe();
    await expect(missing).rejects.toBeInstanceOf(WorkflowNotFoundError);
    expect(hook.received.map(({ headers }) => headers['x-svc-event-id'])).toEqual([later]);
  });

  it('goes to the other endpoints of the account', async () => {
    const [paused, active] = [scene.newHook(), scene.newHook()];
    const customer = await newCustomer(scene.records, paused.url, active.url);
    const { accountId } = customer;
    await setState({ accountId, endpointId: customer.endpoints[0]!.id }, 'paused');
    const eventId = await customer.move();
    expect(await scene.completed(eventId)).toMatchObject([
      { endpointId: customer.endpoints[1]!.id, state: 'delivered' },
    ]);
    const states = (await deliveriesOf(scene.records, eventId)).map(({ state }) => state);
    expect(states).toEqual(['skipped', 'delivered']);
    expect([paused.received.length, active.received.length]).toEqual([0, 1]);
  });
});
