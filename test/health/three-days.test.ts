import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { healthWorkflowId } from '../../src/domain/workflow-id.ts';
import { sendTest } from '../../src/endpoints/send-test.ts';
import { createLog } from '../../src/log.ts';
import { startRelay } from '../../src/relay/relay.ts';
import { createStack, type Stack } from '../../src/stack.ts';
import { PAUSE_POLICY } from '../../src/domain/health.ts';
import { createWorker } from '../../src/temporal/worker.ts';
import { healthQuery, type HealthStatus } from '../../workflows/contract.ts';
import { createTestActivities } from '../support/activities.ts';
import { deliveriesOf, eventually, finishedDelivery, newCustomer } from '../support/customer.ts';
import { endpointRow, mailsAbout } from '../support/endpoint-row.ts';
import { startTestReceiver, type TestReceiver } from '../support/receiver.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { startSkippingTime } from '../support/skipping-time.ts';

/*
 * The real workflows, activities, relay, database and receiver, and the real three days: only the
 * workflows' clock skips. PostgreSQL's does not, so each test has a server of its own, whose clock
 * begins at the present.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let stack: Stack;
let records: TestRecords;
let receiver: TestReceiver;
let environment: TestWorkflowEnvironment;
let status: number;
let startedAt: number;

beforeEach(async () => {
  stack = createStack();
  records = await createTestRecords();
  stack.push(() => records.close());
  receiver = await startTestReceiver();
  stack.push(() => receiver.close());
  status = 503;
  receiver.answer = (_request, response) => void response.writeHead(status).end();
  environment = await startSkippingTime();
  stack.push(() => environment.teardown());
  const { activities, close } = createTestActivities(records.db, { origins: [receiver.origin] });
  stack.push(close);
  const connection = environment.nativeConnection;
  const taskQueue = 'three-days';
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
  const passed = (await environment.currentTimeMs()) - startedAt;
  await environment.sleep(milliseconds - passed);
}

function health(endpointId: string): Promise<HealthStatus> {
  return environment.client.workflow.getHandle(healthWorkflowId(endpointId)).query(healthQuery);
}

async function mailKinds(endpointId: string): Promise<(string | undefined)[]> {
  return (await mailsAbout(records, endpointId)).map(({ kind }) => kind);
}

/** An endpoint whose health workflow knows that its deliveries fail; they ran through the ladder. */
async function failingEndpoint() {
  const customer = await newCustomer(records, `${receiver.origin}/hook`);
  const endpointId = customer.endpoints[0]!.id;
  const eventId = await customer.move();
  await eventually(async () => (await endpointRow(records, endpointId)).failingSince);
  await eventually(async () => (await health(endpointId)).health === 'failing');
  return { customer, endpointId, eventId };
}

it('one failed event and silence: a warning after two days, at 72 h a last attempt and the pause, at 71 h 59 m nothing (spec §3.5)', async () => {
  const { customer, endpointId, eventId } = await failingEndpoint();
  await until(47 * HOUR);
  expect(await finishedDelivery(records, eventId)).toMatchObject({ state: 'failed' });
  expect(receiver.received).toHaveLength(6);
  expect(await mailKinds(endpointId)).toEqual([]);
  expect(await health(endpointId)).toMatchObject({ health: 'failing', warned: false });

  await until(48 * HOUR + MINUTE);
  await eventually(async () => (await mailKinds(endpointId)).length > 0);
  expect(await mailKinds(endpointId)).toEqual(['warning']);

  await until(71 * HOUR + 59 * MINUTE);
  expect(await endpointRow(records, endpointId)).toMatchObject({ state: 'active' });
  expect(receiver.received).toHaveLength(6);

  await until(72 * HOUR + MINUTE);
  await eventually(async () => (await endpointRow(records, endpointId)).state === 'paused');
  const paused = await endpointRow(records, endpointId);
  expect(paused).toMatchObject({ pauseReason: 'failing', state: 'paused' });
  expect(receiver.received).toHaveLength(7);
  const [original, last] = await deliveriesOf(records, eventId);
  expect(last).toMatchObject({ kind: 'last_attempt', state: 'failed', attemptsMade: 1 });
  expect(last).toMatchObject({ redeliveryOf: original?.id });

  await eventually(async () => (await mailKinds(endpointId)).length > 1);
  const [, mail] = await mailsAbout(records, endpointId);
  expect(mail).toMatchObject({ kind: 'paused', accountId: customer.accountId });
  expect(mail?.recipient).toMatch(/^owner\d+@example\.com$/);
  for (const told of [
    /503/,
    /integrations\/endpoints\/ep_/,
    /every\s+delivery/,
    /Failed:\s+1 delivery/,
  ]) {
    expect(mail?.body).toMatch(told);
  }
  await eventually(async () =>
    (await mailsAbout(records, endpointId)).every(({ sentAt }) => sentAt),
  );

  // Later there is neither another mail nor another request.
  await until(200 * HOUR);
  expect(await mailKinds(endpointId)).toEqual(['warning', 'paused']);
  expect(receiver.received).toHaveLength(7);
  expect(await health(endpointId)).toMatchObject({ health: 'paused' });
}, 120_000);

it('a 2xx of the last attempt clears the episode: no pause, no mail, and the event has arrived', async () => {
  const { endpointId, eventId } = await failingEndpoint();
  await until(71 * HOUR);
  status = 200;
  await until(73 * HOUR);
  await eventually(async () => (await health(endpointId)).health === 'healthy');
  expect(await endpointRow(records, endpointId)).toMatchObject({
    ...{ state: 'active', failingSince: null },
  });
  const [original, last] = await deliveriesOf(records, eventId);
  expect(last).toMatchObject({ kind: 'last_attempt', state: 'delivered' });
  expect(original).toMatchObject({ state: 'failed', replacedBy: last?.id });
  expect(receiver.received.at(-1)?.body.equals(receiver.received[0]!.body)).toBe(true);
  await until(200 * HOUR);
  expect(await mailKinds(endpointId)).toEqual(['warning']);
}, 120_000);

it('one success at 71 h clears the episode', async () => {
  const { customer, endpointId } = await failingEndpoint();
  await until(71 * HOUR);
  status = 200;
  const success = await customer.move();
  expect(await finishedDelivery(records, success)).toMatchObject({ state: 'delivered' });
  await eventually(async () => (await health(endpointId)).health === 'healthy');
  const requests = receiver.received.length;
  await until(200 * HOUR);
  expect(await endpointRow(records, endpointId)).toMatchObject({
    ...{ state: 'active', failingSince: null },
  });
  expect(receiver.received).toHaveLength(requests);
}, 120_000);

it('tests change nothing: one that succeeds at 71 h does not prevent the pause', async () => {
  const { customer, endpointId } = await failingEndpoint();
  const { accountId } = customer;
  await until(71 * HOUR);
  status = 200;
  const [test] = await sendTest(
    records.context,
    { accountId, endpointId },
    {
      eventTypes: ['deal.closed'],
    },
  );
  await eventually(async () => {
    const row = await records.db.query.deliveries.findFirst({
      where: (t, { eq }) => eq(t.id, test ?? ''),
    });
    return row?.state === 'delivered';
  });
  expect((await endpointRow(records, endpointId)).failingSince).not.toBeNull();
  status = 503;
  await until(73 * HOUR);
  await eventually(async () => (await endpointRow(records, endpointId)).state === 'paused');
}, 120_000);
