import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DeliveryState } from '../../src/domain/delivery.ts';
import { retryNowUpdate } from '../../workflows/contract.ts';
import { deliveryWorkflowId } from '../../src/domain/workflow-id.ts';
import { eventually, finishedDelivery, newCustomer, type Customer } from '../support/customer.ts';
import { setEndpointState } from '../support/endpoint-state.ts';
import { startScene, status, statuses, type Scene } from '../support/scene.ts';

/** One customer with four events, one in each of these states. */
let scene: Scene;
let customer: Customer;
let other: { customer: Customer; eventId: string };
const events: Partial<Record<DeliveryState, string>> = {};

beforeAll(async () => {
  scene = await startScene({ RETRY_SCHEDULE: '1h' });
  const { records } = scene;
  // 200, then 503 for good: the events below come one after another.
  const hook = scene.newHook(statuses(200, 503));
  customer = await newCustomer(records, hook.url);
  const [endpoint] = customer.endpoints;
  const set = (state: 'active' | 'paused') =>
    setEndpointState(records, {
      ...{ accountId: customer.accountId, endpointId: endpoint!.id },
      state,
    });

  events.delivered = await customer.move();
  await finishedDelivery(records, events.delivered);
  for (const state of ['failed', 'skipped', 'retrying'] as const) {
    const eventId = await customer.move();
    events[state] = eventId;
    const { deliveryId } = await scene.waitingForRetry(eventId);
    if (state === 'retrying') continue;
    if (state === 'skipped') await set('paused');
    else await scene.workflowOf(eventId).executeUpdate(retryNowUpdate, { args: [deliveryId] });
    expect(await finishedDelivery(records, eventId)).toMatchObject({ state });
    if (state === 'skipped') await set('active');
  }
  const otherCustomer = await newCustomer(records, scene.newHook(status(200)).url);
  other = { customer: otherCustomer, eventId: await otherCustomer.move() };
  await finishedDelivery(records, other.eventId);
});

afterAll(() => scene.close());

/** The health workflows of the endpoints have the same account and endpoint. */
const DELIVERIES = "WorkflowType = 'deliverEvent'";

async function list(query: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of scene.delivering.client.workflow.list({ query })) {
    ids.push(workflowId);
  }
  return ids.sort();
}

/** Visibility follows the workflows with a delay: the list must come to be exactly this. */
async function expectListed(query: string, eventIds: (string | undefined)[]): Promise<void> {
  const expected = eventIds.map((id) => deliveryWorkflowId(id ?? '')).sort();
  await expect.poll(() => list(query), { timeout: 20_000, interval: 50 }).toEqual(expected);
}

it('finds the deliveries of an account', async () => {
  await expectListed(
    `${DELIVERIES} and AccountId = '${customer.accountId}'`,
    Object.values(events),
  );
  await expectListed(`${DELIVERIES} and AccountId = '${other.customer.accountId}'`, [
    other.eventId,
  ]);
});

it('finds the deliveries to an endpoint', async () => {
  await expectListed(
    `${DELIVERIES} and EndpointIds = '${customer.endpoints[0]?.id}'`,
    Object.values(events),
  );
});

it('finds an event by each of its endpoints', async () => {
  const urls = [scene.newHook().url, scene.newHook().url];
  const both = await newCustomer(scene.records, ...urls);
  const eventId = await both.move();
  for (const { id } of both.endpoints)
    await expectListed(`${DELIVERIES} and EndpointIds = '${id}'`, [eventId]);
});

it('finds the events of a type', async () => {
  const account = `AccountId = '${customer.accountId}'`;
  await expectListed(`${account} and EventType = 'deal.status_changed'`, Object.values(events));
  await expectListed(`${account} and EventType = 'deal.closed'`, []);
});

it.each(['retrying', 'failed', 'delivered', 'skipped'] as const)(
  'finds the deliveries that are %s',
  async (state) => {
    const query = `AccountId = '${customer.accountId}' and DeliveryState = '${state}'`;
    await expectListed(query, [events[state]]);
  },
);

it('shows every finished delivery as completed, failed ones too, and none as a failed workflow', async () => {
  const account = `${DELIVERIES} and AccountId = '${customer.accountId}'`;
  const { retrying, ...finished } = events;
  await expectListed(`${account} and ExecutionStatus = 'Completed'`, Object.values(finished));
  await expectListed(`${account} and ExecutionStatus = 'Running'`, [retrying]);
  expect(await eventually(async () => (await list(account)).length)).toBe(4);
});
