import { eq } from 'drizzle-orm';
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints, outbox } from '../../drizzle/schema.ts';
import { setEndpointState } from '../../src/endpoints/set-endpoint-state.ts';
import { updateEndpoint } from '../../src/endpoints/update-endpoint.ts';
import { retryNowUpdate } from '../../workflows/contract.ts';
import { deliveriesOf, deliveryOf, finishedDelivery, newCustomer } from '../support/customer.ts';
import { startScene, status, type Scene } from '../support/scene.ts';
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
  setEndpointState(scene.records.db, { ...which, state });

const change = (which: Which, changes: { url?: string; eventTypes?: string[] }) =>
  updateEndpoint(
    { ...scene.records.context, checkUrl: (raw) => Promise.resolve(new URL(raw)) },
    { ...which, ...changes },
  );

describe('a change in mid-retry takes effect at the next attempt', () => {
  it.each([
    ['paused', 'endpoint_paused', (which: Which) => setState(which, 'paused')],
    ['deleted', 'endpoint_deleted', (which: Which) => setState(which, 'deleted')],
    [
      'unsubscribed from the type',
      'unsubscribed',
      (which: Which) => change(which, { eventTypes: ['rescore.summary'] }),
    ],
  ])('%s: skipped as %s, without a request', async (_what, skipReason, makeChange) => {
    const { hook, eventId, which, retry } = await inMidRetry();
    await makeChange(which);
    await retry();
    const delivery = await finishedDelivery(scene.records, eventId);
    expect(delivery).toMatchObject({ state: 'skipped', skipReason, attemptsMade: 1 });
    expect(delivery.attempts).toHaveLength(1);
    expect(hook.received).toHaveLength(1);
    expect(await scene.completed(eventId)).toMatchObject([
      { state: 'skipped', attemptsMade: 1, lastResult: skipReason },
    ]);
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

  it('paused and resumed in between: the delivery goes on', async () => {
    const { hook, eventId, which, retry } = await inMidRetry();
    await setState(which, 'paused');
    await setState(which, 'active');
    hook.answer = status(200);
    await retry();
    expect(await finishedDelivery(scene.records, eventId)).toMatchObject({ state: 'delivered' });
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
    expect(await db.select().from(outbox).where(eq(outbox.eventId, whilePaused))).toEqual([]);

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
