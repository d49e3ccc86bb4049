import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { deleteEndpoint } from '../../src/endpoints/delete-endpoint.ts';
import { pauseEndpoint } from '../../src/endpoints/pause-endpoint.ts';
import { showEndpoint } from '../../src/endpoints/read-endpoints.ts';
import { resumeEndpoint } from '../../src/endpoints/resume-endpoint.ts';
import { updateEndpoint } from '../../src/endpoints/update-endpoint.ts';
import { PAUSE_POLICY } from '../../src/domain/health.ts';
import { beginLastAttempt } from '../../src/health/begin-last-attempt.ts';
import { pauseFailing } from '../../src/health/pause-failing.ts';
import { continueReplay } from '../../src/redelivery/continue-replay.ts';
import { showReplay } from '../../src/redelivery/replay.ts';
import { startReplay } from '../../src/redelivery/start-replay.ts';
import { stopReplay } from '../../src/redelivery/stop-replay.ts';
import { cancelUpdate, progressQuery, retryNowUpdate } from '../../workflows/contract.ts';
import type { replayDeliveries } from '../../workflows/index.ts';
import { endProcesses, startProcess } from '../deployment/service-process.ts';
import { TEST_KEY } from '../support/config.ts';
import { eventually, finishedDelivery } from '../support/customer.ts';
import { startDelivering } from '../support/delivering.ts';
import { endpointRow } from '../support/endpoint-row.ts';
import { startScene, status, type Scene } from '../support/scene.ts';
import { gotRequests, holding, newRecipient, type Recipient } from './recipient.ts';

let scene: Scene;

beforeAll(async () => {
  // An attempt that is held is not to end by itself.
  scene = await startScene({ RETRY_SCHEDULE: '1h', DELIVERY_TIMEOUT: '1m' });
});

afterAll(() => scene.close());

const workflowOf = (replayId: string) =>
  scene.delivering.client.workflow.getHandle<typeof replayDeliveries>(`replay:${replayId}`);

const waiting = async ({ which }: Recipient) =>
  (await showEndpoint(scene.records.db, which)).waiting;

/** A replay of five that is held at its second request. */
async function heldReplay(code = 200) {
  const recipient = await newRecipient(scene);
  const missed = await recipient.miss(5);
  const { answer, release } = holding(code, 2);
  recipient.answer = answer;
  const { id } = await recipient.replay();
  await gotRequests(recipient.hook, 2);
  return { recipient, missed, replayId: id, release };
}

/** Expects that every event was made once besides the delivery that was skipped, and arrived once. */
async function expectEachOnce(recipient: Recipient, eventIds: string[]): Promise<void> {
  const log = await recipient.settled();
  const redelivered = log.filter(({ kind }) => kind === 'redelivery');
  expect(redelivered.map(({ eventId }) => eventId)).toEqual(eventIds);
  expect(redelivered.every(({ state }) => state === 'delivered')).toBe(true);
  expect(recipient.received()).toEqual(eventIds);
  expect(recipient.mostOpen).toBe(1);
  expect(await waiting(recipient)).toBe(0);
}

/** Three events whose first attempt failed and who wait an hour for their second. */
async function inMidRetry(times: number) {
  const recipient = await newRecipient(scene, status(503));
  const eventIds = await recipient.move(times);
  const deliveryIds = [];
  for (const eventId of eventIds) {
    deliveryIds.push((await scene.waitingForRetry(eventId)).deliveryId);
  }
  recipient.answer = status(200);
  return { recipient, eventIds, deliveryIds };
}

describe('how far it is can be seen', () => {
  it('by the progress query and on the workflow page, even while the receiver takes its time', async () => {
    const { recipient, replayId, release } = await heldReplay();
    const workflow = workflowOf(replayId);
    const seen = await eventually(() => workflow.query(progressQuery));
    expect(seen).toEqual({ state: 'running', made: 2, total: 5 });
    const details = async () =>
      (await workflow.query<{ currentDetails?: string }>('__temporal_workflow_metadata'))
        .currentDetails;
    expect(await details()).toBe('**running**: 2 of 5 sent again');
    release();
    await recipient.ended(replayId);
    expect(await workflow.result()).toEqual({ state: 'done', made: 5, total: 5 });
    expect(await details()).toBe('**done**: 5 of 5 sent again');
    expect(await workflow.query(progressQuery)).toMatchObject({ state: 'done', made: 5 });
  });
});

describe('stopped', () => {
  it('by hand: what was made goes on, the rest waits, and a later replay completes it', async () => {
    const { recipient, missed, replayId, release } = await heldReplay();
    const { context } = scene.records;
    const { accountId } = recipient;
    const stopped = await stopReplay(context, { accountId, replayId });
    expect(stopped).toMatchObject({ state: 'stopped', made: 2, total: 5 });
    const twice = stopReplay(context, { accountId, replayId });
    await expect(twice).rejects.toMatchObject({ code: 'conflict' });
    release();
    expect(await workflowOf(replayId).result()).toMatchObject({ state: 'stopped', made: 2 });
    await recipient.settled();
    expect(recipient.received()).toEqual(missed.slice(0, 2));
    expect(await waiting(recipient)).toBe(3);
    await recipient.ended((await recipient.replay()).id);
    await expectEachOnce(recipient, missed);
  });

  it("not by another account: not_found, as a replay that doesn't exist", async () => {
    const { recipient, replayId, release } = await heldReplay();
    const { accountId } = await newRecipient(scene);
    const { context, db } = scene.records;
    for (const id of [replayId, 'rpl_unknown']) {
      const which = { accountId, replayId: id };
      const message = 'No such replay.';
      await expect(stopReplay(context, which)).rejects.toMatchObject({ message });
      await expect(showReplay(db, which)).rejects.toMatchObject({ message });
    }
    release();
    expect(await recipient.ended(replayId)).toMatchObject({ state: 'done' });
  });

  it('by a pause in its middle, even one that is over at once: the rest waits, in sum each once', async () => {
    const { recipient, missed, replayId, release } = await heldReplay();
    const { context, db } = scene.records;
    await pauseEndpoint(context, recipient.which);
    const which = { accountId: recipient.accountId, replayId };
    expect(await showReplay(db, which)).toMatchObject({ state: 'stopped', made: 2 });
    // The one in flight is among those that wait, until its 2xx comes.
    expect(await resumeEndpoint(context, recipient.which)).toMatchObject({ waiting: 4 });
    release();
    expect(await workflowOf(replayId).result()).toMatchObject({ state: 'stopped', made: 2 });
    await eventually(async () => (await waiting(recipient)) === 3);
    expect(recipient.received()).toEqual(missed.slice(0, 2));
    await recipient.ended((await recipient.replay()).id);
    await expectEachOnce(recipient, missed);
  });

  it('by a pause, while the attempt in flight fails: that one comes again, and only that one', async () => {
    const { recipient, missed, replayId, release } = await heldReplay(500);
    await recipient.pause();
    release();
    await recipient.ended(replayId);
    recipient.answer = status(200);
    await recipient.resume();
    await eventually(async () => (await recipient.log()).every((one) => one.finishedAt));
    expect(await waiting(recipient)).toBe(4);
    await recipient.ended((await recipient.replay()).id);
    const [first = '', second = '', ...rest] = missed;
    expect(recipient.received()).toEqual([first, second, second, ...rest]);
    expect(await waiting(recipient)).toBe(0);
  });

  it('by the pause of an endpoint whose every delivery fails (spec §3.5)', async () => {
    const recipient = await newRecipient(scene);
    const missed = await recipient.miss(3);
    recipient.answer = status(503);
    const [failing = ''] = await recipient.move(1);
    await scene.waitingForRetry(failing);
    const { answer, release } = holding(503);
    recipient.answer = answer;
    const { id } = await recipient.replay();
    await gotRequests(recipient.hook, 2);
    const { endpointId } = recipient.which;
    const { failingSince } = await endpointRow(scene.records, endpointId);
    const style = { serviceName: 'Lead Events', endpointPage: () => 'https://app.example.com/' };
    await pauseFailing(
      { db: scene.records.db, policy: PAUSE_POLICY, style },
      { endpointId, failingSince: failingSince! },
    );
    expect(await recipient.ended(id)).toMatchObject({ state: 'stopped', made: 1, total: 3 });
    release();
    recipient.answer = status(200);
    await recipient.resume();
    await eventually(async () => (await recipient.log()).every((one) => one.finishedAt));
    expect(await waiting(recipient)).toBe(4);
    await recipient.ended((await recipient.replay()).id);
    expect(recipient.received()).toEqual([failing, missed[0], ...missed, failing]);
    expect(await waiting(recipient)).toBe(0);
  });

  it('by the deletion of its endpoint', async () => {
    const { recipient, replayId, release } = await heldReplay();
    await deleteEndpoint(scene.records.context, recipient.which);
    expect(await recipient.ended(replayId)).toMatchObject({ state: 'stopped', made: 2 });
    release();
    expect(await workflowOf(replayId).result()).toMatchObject({ state: 'stopped' });
    await recipient.settled();
    expect(recipient.hook.received).toHaveLength(2);
  });
});

describe('retries in progress when the pause comes', () => {
  it('end as skipped, and are part of the replay', async () => {
    const { recipient, eventIds } = await inMidRetry(2);
    await recipient.pause();
    const log = await recipient.log();
    expect(log.every(({ skipReason }) => skipReason === 'endpoint_paused')).toBe(true);
    const missed = await recipient.move(1);
    const { waiting: count } = await resumeEndpoint(scene.records.context, recipient.which);
    expect(count).toBe(3);
    const replay = await recipient.ended((await recipient.replay()).id);
    expect(replay).toMatchObject({ state: 'done', total: 3, made: 3 });
    expect(recipient.received().slice(2)).toEqual([...eventIds, ...missed]);
  });

  it('cancelled ones, and ones unsubscribed from, are neither counted nor replayed', async () => {
    const { recipient, eventIds, deliveryIds } = await inMidRetry(3);
    const [cancelled = '', unsubscribed = '', paused = ''] = eventIds;
    const update = { args: [deliveryIds[0]!] as [string] };
    await scene.workflowOf(cancelled).executeUpdate(cancelUpdate, update);
    await finishedDelivery(scene.records, cancelled);
    const { context } = scene.records;
    await updateEndpoint(context, { ...recipient.which, eventTypes: ['rescore.summary'] });
    await scene.workflowOf(unsubscribed).executeUpdate(retryNowUpdate, { args: [deliveryIds[1]!] });
    await finishedDelivery(scene.records, unsubscribed);
    await recipient.pause();
    const log = await recipient.log();
    expect(log.map(({ skipReason }) => skipReason)).toEqual([
      ...['cancelled', 'unsubscribed', 'endpoint_paused'],
    ]);
    // What is not subscribed to does not wait; subscribed to again, what the pause skipped does.
    expect(await resumeEndpoint(context, recipient.which)).toMatchObject({ waiting: 0 });
    await updateEndpoint(context, { ...recipient.which, eventTypes: ['deal.status_changed'] });
    const replay = await recipient.replay({ states: ['failed', 'skipped', 'delivered'] });
    expect(replay.total).toBe(1);
    await recipient.ended(replay.id);
    expect(recipient.received().slice(3)).toEqual([paused]);
  });

  it('what ends only after the replay was asked for is not part of it', async () => {
    const { recipient, eventIds, deliveryIds } = await inMidRetry(1);
    const { answer, release } = holding(200);
    recipient.answer = status(200);
    await recipient.move(1);
    await eventually(async () => (await recipient.log()).some((one) => one.state === 'delivered'));
    recipient.answer = answer;
    const replay = await recipient.replay({ states: ['delivered', 'failed'] });
    expect(replay.total).toBe(1);
    await gotRequests(recipient.hook, 3);
    const retried = scene
      .workflowOf(eventIds[0]!)
      .executeUpdate(retryNowUpdate, { args: [deliveryIds[0]!] });
    await gotRequests(recipient.hook, 4);
    release();
    await retried;
    expect(await recipient.ended(replay.id)).toMatchObject({ made: 1, total: 1 });
    await recipient.settled();
    expect(recipient.hook.received).toHaveLength(4);
  });

  it('with a last attempt of an event in mid-retry (spec §3.5), the event waits once', async () => {
    const { recipient } = await inMidRetry(1);
    const { db } = scene.records;
    const { endpointId } = recipient.which;
    const { failingSince } = await endpointRow(scene.records, endpointId);
    const lastId = await beginLastAttempt(db, { endpointId, failingSince: failingSince! });
    expect(await recipient.log()).toMatchObject([
      { kind: 'automatic', state: 'retrying', replacedBy: lastId },
      { kind: 'last_attempt', state: 'pending', replacedBy: null },
    ]);
    await recipient.pause();
    await recipient.resume();
    expect(await waiting(recipient)).toBe(1);
    expect(await recipient.replay()).toMatchObject({ total: 1 });
  });
});

it('a twin of its step, as after a lost worker: still each once, in order, one at a time', async () => {
  const recipient = await newRecipient(scene);
  const missed = await recipient.miss(20);
  const replay = await recipient.replay();
  const twin = async () => {
    while ((await continueReplay(scene.records.db, replay.id)).state === 'running');
  };
  await Promise.all([twin(), twin(), twin()]);
  expect(await recipient.ended(replay.id)).toMatchObject({ state: 'done', made: 20, total: 20 });
  await expectEachOnce(recipient, missed);
});

it('the service stopped in its middle and another started: each event is made once and arrives once', async () => {
  const taskQueue = `replay-stopped-${randomBytes(6).toString('hex')}`;
  const own = await startScene({ TEMPORAL_TASK_QUEUE: taskQueue });
  try {
    const recipient = await newRecipient(own);
    const missed = await recipient.miss(30);
    const replay = await startReplay(own.records.context, recipient.which);
    await gotRequests(recipient.hook, 7);
    await own.delivering.service.stop();
    const before = recipient.hook.received.length;
    expect(before).toBeLessThan(30);
    const another = await startDelivering(own.records, {
      origins: [new URL(recipient.hook.url).origin],
      taskQueue,
    });
    try {
      expect(await recipient.ended(replay.id)).toMatchObject({ state: 'done', made: 30 });
      const log = await recipient.settled();
      const made = log.filter(({ replayId }) => replayId === replay.id);
      expect(made.map(({ eventId }) => eventId)).toEqual(missed);
      // A service that is stopped lets the attempt under way finish, so there is no duplicate.
      expect(recipient.received()).toEqual(missed);
      expect(recipient.mostOpen).toBe(1);
    } finally {
      await another.stop();
    }
  } finally {
    await own.close();
  }
});

it('a worker process killed in its middle and another started: each event is made once, and only what was in flight may come twice', async () => {
  const taskQueue = `replay-killed-${randomBytes(6).toString('hex')}`;
  const own = await startScene({ TEMPORAL_TASK_QUEUE: taskQueue });
  try {
    await own.delivering.service.stop();
    const recipient = await newRecipient(own);
    const missed = await recipient.miss(30);
    const replay = await startReplay(own.records.context, recipient.which);
    const env = {
      ...{ DATABASE_URL: own.records.url, SECRET_KEY: TEST_KEY.toString('hex') },
      ...{ TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_TASK_QUEUE: taskQueue },
      DEV_ENDPOINT_ORIGINS: new URL(recipient.hook.url).origin,
      ...{ HOST: '127.0.0.1', METRICS_PORT: '0', LOG_LEVEL: 'warn' },
    };
    const killed = startProcess(['worker'], env);
    await gotRequests(recipient.hook, 7);
    killed.kill('SIGKILL');
    await killed.exited;
    const before = recipient.received();
    expect(before.length).toBeLessThan(30);
    startProcess(['worker'], env);

    expect(await recipient.ended(replay.id)).toMatchObject({ state: 'done', made: 30 });
    const log = await recipient.settled();
    const made = log.filter(({ replayId }) => replayId === replay.id);
    expect(made.map(({ eventId }) => eventId)).toEqual(missed);
    expect(made.every(({ state }) => state === 'delivered')).toBe(true);
    const twice = recipient.received().filter((id, i, all) => all.indexOf(id) !== i);
    expect([[], [before.at(-1)]]).toContainEqual(twice);
    expect([...new Set(recipient.received())]).toEqual(missed);
  } finally {
    await endProcesses();
    await own.close();
  }
}, 120_000);
