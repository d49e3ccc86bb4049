import { readFile } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  deliveryWorkflowId,
  healthWorkflowId,
  postcardsWorkflowId,
  rescoreWorkflowId,
} from '../../src/domain/workflow-id.ts';
import { advanceCampaign } from '../../src/postcards/advance-campaign.ts';
import { newAddressees, newCampaign } from '../postcards/mailing.ts';
import { startRescore } from '../../src/rescore/start-rescore.ts';
import { finishedDelivery, newCustomer, type Customer } from '../support/customer.ts';
import { setEndpointState } from '../support/endpoint-state.ts';
import { startScene, status, type Scene } from '../support/scene.ts';

/*
 * Every filter on the operators' page is asked on the real server, and finds what the page says.
 */

const FILTERS = /^```\n([^`]+)\n```$/gm;

let scene: Scene;
let filters: string[];
let retrying: { customer: Customer; eventId: string };
let failed: { customer: Customer; eventId: string };
let paused: Customer;
let campaignId: string;
let rescoreId: string;

beforeAll(async () => {
  const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  filters = [...page.matchAll(FILTERS)].map(([, filter]) => filter ?? '');
  scene = await startScene({ RETRY_SCHEDULE: '1h' });
  const withEvent = async (url: string) => {
    const customer = await newCustomer(scene.records, url);
    return { customer, eventId: await customer.move() };
  };
  const unavailable = scene.newHook(status(503));
  retrying = await withEvent(unavailable.url);
  await scene.waitingForRetry(retrying.eventId);
  failed = await withEvent(scene.newHook(status(404)).url);
  const { deliveryId } = await scene.waitingForRetry(failed.eventId);
  await scene.workflowOf(failed.eventId).executeUpdate('retryNow', { args: [deliveryId] });
  await finishedDelivery(scene.records, failed.eventId);
  paused = await newCustomer(scene.records, scene.newHook().url);
  const { accountId, endpoints } = paused;
  const which = { accountId, endpointId: endpoints[0]!.id };
  await setEndpointState(scene.records, { ...which, state: 'paused' });
  const addressees = await newAddressees(scene.records, 1);
  const { campaign } = await newCampaign(scene.records, accountId, addressees);
  campaignId = campaign.id;
  await advanceCampaign(scene.records.context, { accountId, campaignId });
  rescoreId = await rescoreThatStands();
});

afterAll(() => scene.close());

/** As when somebody else holds the parcels all the time. */
async function rescoreThatStands(): Promise<string> {
  const { db } = scene.records;
  await db.execute(sql`
    create function held() returns trigger language plpgsql
    as $$ begin raise exception 'held' using errcode = 'lock_not_available'; end $$`);
  await db.execute(sql`
    create trigger held before update on rescore_runs for each row execute function held()`);
  return (await startRescore(db)).id;
}

/** What a filter finds in this scene: other tests use the same server. */
async function found(filter: string): Promise<string[]> {
  const query = `(${filter}) AND TaskQueue = '${scene.taskQueue}'`;
  const ids: string[] = [];
  for await (const { workflowId } of scene.delivering.client.workflow.list({ query })) {
    ids.push(workflowId);
  }
  return ids.sort();
}

const healthOf = ({ endpoints }: Customer) => healthWorkflowId(endpoints[0]!.id);

it('has filters that find what it says', async () => {
  const events = [retrying.eventId, failed.eventId].map(deliveryWorkflowId);
  const [ofRetrying, ofFailed] = events as [string, string];
  const { customer } = retrying;
  const expected: Record<string, string[]> = {
    "AccountId = '<account id>' AND DeliveryState = 'retrying' AND ExecutionStatus = 'Running'": [
      ofRetrying,
    ],
    "EndpointHealth = 'failing' AND ExecutionStatus = 'Running'": [
      healthOf(customer),
      healthOf(failed.customer),
    ].sort(),
    "EndpointHealth = 'paused' AND ExecutionStatus = 'Running'": [healthOf(paused)],
    "WorkflowId = 'delivery:<event id>'": [ofRetrying],
    "EndpointIds = '<endpoint id>'": [ofRetrying, healthOf(customer)].sort(),
    "DeliveryState = 'failed'": [ofFailed],
    "ExecutionStatus = 'Failed' OR ExecutionStatus = 'TimedOut'": [],
    "WorkflowType = 'sendMail' AND ExecutionStatus = 'Running'": [],
    "WorkflowType = 'traceBatch' AND ExecutionStatus = 'Running'": [],
    "WorkflowType = 'sendPostcards' AND ExecutionStatus = 'Running'": [
      postcardsWorkflowId(campaignId),
    ],
    "WorkflowType = 'rescoreParcels' AND ExecutionStatus = 'Running'": [
      rescoreWorkflowId(rescoreId),
    ],
  };
  // None is on the page that is not tried here, and the other way round.
  expect(filters.toSorted()).toEqual(Object.keys(expected).toSorted());
  for (const [filter, ids] of Object.entries(expected)) {
    const filled = filter
      .replace('<account id>', customer.accountId)
      .replace('<event id>', retrying.eventId)
      .replace('<endpoint id>', customer.endpoints[0]!.id);
    // Visibility follows the workflows with a delay.
    await expect.poll(() => found(filled), { timeout: 20_000, message: filled }).toEqual(ids);
  }
});
