import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { PAUSE_POLICY } from '../../src/domain/health.ts';
import { postcardsWorkflowId } from '../../src/domain/workflow-id.ts';
import { createLog } from '../../src/log.ts';
import { advanceCampaign } from '../../src/postcards/advance-campaign.ts';
import { showCampaign } from '../../src/postcards/read-campaigns.ts';
import { createSimulatedPrinter } from '../../src/postcards/simulated-vendor.ts';
import { startRelay } from '../../src/relay/relay.ts';
import { createStack, type Stack } from '../../src/stack.ts';
import { createWorker } from '../../src/temporal/worker.ts';
import { campaignQuery, type CampaignStatus } from '../../workflows/contract.ts';
import { createTestActivities } from '../support/activities.ts';
import { eventually } from '../support/customer.ts';
import { eventsOf } from '../support/event-log.ts';
import { historyToJson, readableText, timersOf } from '../support/history.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { startSkippingTime } from '../support/skipping-time.ts';
import { newAddressees, newCampaign, PRIVATE_WORDS } from './mailing.ts';

/*
 * The real workflow, activities, relay and database, and the real two and five days: only the
 * workflows' clock skips.
 */

const DAY = 86_400_000;
const MINUTE = 60_000;

let stack: Stack;
let records: TestRecords;
let environment: TestWorkflowEnvironment;
let accountId: string;
let startedAt: number;
/** How often the vendor fails before it takes the cards. */
let failures: number;
/** Which campaigns were handed over, each time. */
let handedOver: string[];

beforeEach(async () => {
  stack = createStack();
  [failures, handedOver] = [0, []];
  records = await createTestRecords();
  stack.push(() => records.close());
  accountId = (await records.newAccount()).id;
  environment = await startSkippingTime();
  stack.push(() => environment.teardown());
  const simulated = createSimulatedPrinter();
  const { activities, close } = createTestActivities(records.db, {
    origins: [],
    vendors: {
      printer: {
        submit(request) {
          handedOver.push(request.campaignId);
          if (handedOver.length <= failures) return Promise.reject(new Error('no Larkspur today'));
          return simulated.submit(request);
        },
      },
    },
  });
  stack.push(close);
  const connection = environment.nativeConnection;
  const taskQueue = 'days';
  const workflowBundle = { codePath: inject('bundlePath') };
  const worker = await createWorker({
    ...{ connection, taskQueue, workflowBundle, activities, namespace: 'default' },
  });
  const running = worker.run();
  stack.push(async () => {
    worker.shutdown();
    await running;
  });
  const relay = startRelay(
    {
      ...{ database: records.database, client: new Client({ connection }) },
      ...{ log: createLog('silent'), prepare: () => Promise.resolve() },
    },
    { taskQueue, pausePolicy: PAUSE_POLICY },
  );
  stack.push(() => relay.stop());
  startedAt = await environment.currentTimeMs();
}, 600_000);

afterEach(() => stack.close());

/** Lets the workflows' clock come to so long after the start of the test. */
async function until(milliseconds: number): Promise<void> {
  await environment.sleep(milliseconds - ((await environment.currentTimeMs()) - startedAt));
}

const handle = (id: string) => environment.client.workflow.getHandle(postcardsWorkflowId(id));
const status = (id: string): Promise<CampaignStatus | null> =>
  eventually(() =>
    handle(id)
      .query(campaignQuery)
      .catch(() => null),
  );
const stateOf = async (campaignId: string) =>
  (await showCampaign(records.db, { accountId, campaignId })).state;
const states = async () =>
  (await eventsOf(records, accountId, 'postcard.status_changed')).map(({ data }) => data.state);
const timers = async (id: string) => timersOf(await handle(id).fetchHistory());

async function newInProduction(): Promise<string> {
  const parcels = await newAddressees(records, 3);
  const { campaign } = await newCampaign(records, accountId, parcels);
  await advanceCampaign(records.context, { accountId, campaignId: campaign.id });
  return campaign.id;
}

/** The same when the vendor has the cards. */
async function inProduction(): Promise<string> {
  const id = await newInProduction();
  await eventually(async () => (await status(id))?.next === 'mailed');
  return id;
}

it('two days in production, five in the post, and not a minute less', async () => {
  const id = await inProduction();
  expect(await status(id)).toMatchObject({ state: 'production', next: 'mailed', cards: 3 });
  await until(2 * DAY - MINUTE);
  expect(await stateOf(id)).toBe('production');
  await until(2 * DAY + MINUTE);
  await eventually(async () => (await stateOf(id)) === 'mailed');
  await eventually(async () => (await status(id))?.next === 'delivered_est');
  await until(7 * DAY - MINUTE);
  expect(await stateOf(id)).toBe('mailed');
  await until(7 * DAY + 2 * MINUTE);
  await eventually(async () => (await stateOf(id)) === 'delivered_est');
  expect(await handle(id).result()).toMatchObject({ state: 'delivered_est', next: null });
  expect(await states()).toEqual(['production', 'mailed', 'delivered_est']);
  expect(handedOver).toEqual([id]);
  const [production, delivery] = await timers(id);
  // By PostgreSQL's clock, some of whose milliseconds have passed.
  expect(production).toBeGreaterThan(2 * DAY - MINUTE);
  expect(production).toBeLessThanOrEqual(2 * DAY);
  expect(delivery).toBeGreaterThan(5 * DAY - MINUTE);
  expect(delivery).toBeLessThanOrEqual(5 * DAY);
}, 120_000);

it('moved by hand after a day: the workflow follows at once, and goes on from there', async () => {
  const id = await inProduction();
  await until(DAY);
  await advanceCampaign(records.context, { accountId, campaignId: id, to: 'mailed' });
  await eventually(async () => (await status(id))?.next === 'delivered_est');
  await until(6 * DAY - MINUTE);
  expect(await stateOf(id)).toBe('mailed');
  await until(6 * DAY + 2 * MINUTE);
  await eventually(async () => (await stateOf(id)) === 'delivered_est');
  expect(await states()).toEqual(['production', 'mailed', 'delivered_est']);
}, 120_000);

it('moved by hand to the end: the workflow ends at once', async () => {
  const id = await inProduction();
  await advanceCampaign(records.context, { accountId, campaignId: id });
  await advanceCampaign(records.context, { accountId, campaignId: id });
  expect(await handle(id).result()).toMatchObject({ state: 'delivered_est', next: null });
  expect(await states()).toEqual(['production', 'mailed', 'delivered_est']);
}, 120_000);

it('a vendor that fails is asked until it takes the cards', async () => {
  failures = 4;
  const id = await newInProduction();
  await eventually(() => handedOver.length > 0);
  expect(await status(id)).toMatchObject({ state: 'production', next: 'submit' });
  const failure = await eventually(async () => {
    const { raw } = await handle(id).describe();
    return raw.pendingActivities?.[0]?.lastFailure?.message;
  });
  expect(failure).toBe('The vendor did not answer (Error).');
  await until(5 * MINUTE);
  await eventually(async () => (await status(id))?.next === 'mailed');
  expect(handedOver).toEqual(Array(5).fill(id));
  expect(await states()).toEqual(['production']);
  const text = readableText(historyToJson(await handle(id).fetchHistory()));
  for (const word of PRIVATE_WORDS) expect(text).not.toContain(word);
}, 120_000);
