import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteEndpoint } from '../../src/endpoints/delete-endpoint.ts';
import { showEndpoint } from '../../src/endpoints/read-endpoints.ts';
import { awaitDeliveries, sendTest } from '../../src/endpoints/send-test.ts';
import { updateEndpoint } from '../../src/endpoints/update-endpoint.ts';
import { EVENT_CATALOGUE, EVENT_TYPES } from '../../src/events/catalogue.ts';
import { newId } from '../../src/ids.ts';
import { redeliver } from '../../src/redelivery/redeliver.ts';
import { startReplay } from '../../src/redelivery/start-replay.ts';
import { stateQuery } from '../../workflows/contract.ts';
import { verifyReceipt } from '../delivery/receipt.ts';
import { newRecipient, type Recipient } from '../redelivery/recipient.ts';
import { eventually } from '../support/customer.ts';
import { endpointRow } from '../support/endpoint-row.ts';
import { hang, startScene, status, type Answer, type Scene } from '../support/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene({ RETRY_SCHEDULE: '50ms,50ms' });
});

afterAll(() => scene.close());

/** Sends tests and waits for their results, as the command and the page do. */
async function tested({ which }: Recipient, eventTypes?: string[]) {
  const { context } = scene.records;
  const deliveryIds = await sendTest(context, which, { eventTypes });
  const { accountId } = which;
  return awaitDeliveries(context, { accountId, deliveryIds, timeoutMs: 30_000 });
}

/** The body of a request, as the receiver reads it. */
function bodyOf(recipient: Recipient, index = 0) {
  return JSON.parse(recipient.hook.received[index]!.body.toString()) as Record<string, unknown>;
}

const failingSince = async ({ which }: Recipient) =>
  (await endpointRow(scene.records, which.endpointId)).failingSince;

describe('a test sends the sample of a type (spec §6.2)', () => {
  it.each(EVENT_TYPES)('%s: fixed id, fixture true, the account, signed', async (type) => {
    const recipient = await newRecipient(scene);
    const [test, ...others] = await tested(recipient, [type]);
    expect(others).toEqual([]);
    const sampleId = `evt_sample_${type.replaceAll('.', '_')}`;
    expect(test).toMatchObject({
      ...{ kind: 'test', state: 'delivered', eventType: type, eventId: sampleId },
      ...{ attemptsMade: 1, lastStatusCode: 200, lastError: null, redeliveryOf: null },
    });
    expect(bodyOf(recipient)).toEqual({
      ...{ id: sampleId, type, created_at: '2026-01-09T16:20:00.000000Z' },
      user_id: recipient.accountId,
      data: { ...(EVENT_CATALOGUE[type].sample as object), fixture: true },
    });
    const [request] = recipient.hook.received;
    expect(request!.headers).toMatchObject({
      ...{ 'x-svc-event-id': sampleId, 'x-svc-event-type': type },
    });
    expect(await verifyReceipt(request!, recipient.endpoint.secret)).toBe('accepted');
  });

  it('all types when none is named, each once, subscribed to or not', async () => {
    const recipient = await newRecipient(scene);
    await updateEndpoint(scene.records.context, {
      ...{ ...recipient.which, eventTypes: ['rescore.summary'] },
    });
    const tests = await tested(recipient);
    expect(tests.map(({ eventType }) => eventType)).toEqual([...EVENT_TYPES]);
    expect(tests.every(({ state }) => state === 'delivered')).toBe(true);
    const types = recipient.hook.received.map(({ headers }) => headers['x-svc-event-type']);
    expect(types.toSorted()).toEqual([...EVENT_TYPES].toSorted());
  });

  it('a type named twice is sent once; the same test again is a new delivery with the same body', async () => {
    const recipient = await newRecipient(scene);
    expect(await tested(recipient, ['deal.closed', 'deal.closed'])).toHaveLength(1);
    expect(await tested(recipient, ['deal.closed'])).toHaveLength(1);
    const [first, second] = recipient.hook.received;
    expect(second!.body.equals(first!.body)).toBe(true);
    expect(await recipient.log()).toHaveLength(2);
  });

  it('to a paused endpoint too, which stays paused', async () => {
    const recipient = await newRecipient(scene);
    await recipient.pause();
    expect(await tested(recipient, ['deal.closed'])).toMatchObject([{ state: 'delivered' }]);
    expect(recipient.hook.received).toHaveLength(1);
    expect(await endpointRow(scene.records, recipient.which.endpointId)).toMatchObject({
      ...{ state: 'paused', pauseReason: 'manual' },
    });
  });
});

describe('it is one attempt, whose result is shown (spec §6.2)', () => {
  it('no retry after a 500: failed, with what was answered', async () => {
    const recipient = await newRecipient(scene, status(500, 'out of order'));
    const [test] = await tested(recipient, ['deal.closed']);
    expect(test).toMatchObject({
      ...{ state: 'failed', attemptsMade: 1, lastStatusCode: 500, nextAttemptAt: null },
      attempts: [{ number: 1, statusCode: 500, responseExcerpt: 'out of order' }],
    });
    // Its workflow is over: there is nothing that could make another attempt.
    const workflow = scene.delivering.client.workflow.getHandle(`test:${test!.id}`);
    await workflow.result();
    expect(await workflow.query(stateQuery)).toMatchObject([
      { deliveryId: test!.id, state: 'failed', attemptsMade: 1, lastResult: '500' },
    ]);
    expect(recipient.hook.received).toHaveLength(1);
  });

  it('one that is under way is answered as it is when the patience ends', async () => {
    const recipient = await newRecipient(scene, hang);
    const { context } = scene.records;
    const eventTypes = ['deal.closed'];
    const deliveryIds = await sendTest(context, recipient.which, { eventTypes });
    await eventually(() => recipient.hook.received.length > 0);
    const { accountId } = recipient;
    const waited = { accountId, deliveryIds, timeoutMs: 100 };
    expect(await awaitDeliveries(context, waited)).toMatchObject([
      { state: 'pending', attempts: [], finishedAt: null },
    ]);
  });
});

describe('it says nothing about the health of the endpoint (spec §3.5)', () => {
  const failing: Answer = status(500);

  it('its failure begins no episode', async () => {
    const recipient = await newRecipient(scene, failing);
    expect(await tested(recipient, ['deal.closed'])).toMatchObject([{ state: 'failed' }]);
    expect(await failingSince(recipient)).toBeNull();
  });

  it('its 2xx ends none, and its failure does not move one', async () => {
    const recipient = await newRecipient(scene, failing);
    await recipient.move(1);
    await recipient.settled();
    const since = await failingSince(recipient);
    expect(since).not.toBeNull();
    await tested(recipient, ['deal.closed']);
    recipient.answer = status(200);
    expect(await tested(recipient, ['deal.closed'])).toMatchObject([{ state: 'delivered' }]);
    expect(await failingSince(recipient)).toBe(since);
  });
});

it('it is neither waiting nor replayed nor redelivered, whatever came of it', async () => {
  const recipient = await newRecipient(scene, status(500));
  const [test] = await tested(recipient, ['deal.closed']);
  const { context, db } = scene.records;
  expect(await showEndpoint(db, recipient.which)).toMatchObject({ waiting: 0 });
  const states = ['failed', 'skipped', 'delivered'];
  expect(await startReplay(context, recipient.which, { states })).toMatchObject({ total: 0 });
  const { accountId } = recipient;
  const again = redeliver(context, { accountId, deliveryId: test!.id });
  await expect(again).rejects.toMatchObject({ code: 'conflict' });
});

describe('what is refused makes nothing', () => {
  it('an unknown type: names the field and what is allowed', async () => {
    const recipient = await newRecipient(scene);
    const eventTypes = ['deal.closed', 'deal.opened'];
    const refused = sendTest(scene.records.context, recipient.which, { eventTypes });
    await expect(refused).rejects.toMatchObject({ code: 'bad_request', field: 'event_types.1' });
    await expect(refused).rejects.toThrow(EVENT_TYPES.join(', '));
    const none = sendTest(scene.records.context, recipient.which, { eventTypes: [] });
    await expect(none).rejects.toMatchObject({ code: 'bad_request', field: 'event_types' });
    expect(await recipient.log()).toEqual([]);
  });

  it("a deleted endpoint, another account's and an unknown one: not_found, alike", async () => {
    const [recipient, stranger] = [await newRecipient(scene), await newRecipient(scene)];
    const { context } = scene.records;
    const { accountId } = stranger;
    await deleteEndpoint(context, stranger.which);
    for (const endpointId of [
      ...[recipient.which.endpointId, stranger.which.endpointId, newId('endpoint')],
    ]) {
      await expect(sendTest(context, { accountId, endpointId })).rejects.toMatchObject({
        ...{ code: 'not_found', message: 'No such endpoint.' },
      });
    }
    expect([await recipient.log(), await stranger.log()]).toEqual([[], []]);
  });

  it('an endpoint that is deleted while a test is on its way: skipped, not sent', async () => {
    const recipient = await newRecipient(scene);
    const { context } = scene.records;
    // At once, so that no worker can come between.
    await context.db.transaction(async (db) => {
      await sendTest({ ...context, db }, recipient.which, { eventTypes: ['deal.closed'] });
      await deleteEndpoint({ ...context, db }, recipient.which);
    });
    expect(await recipient.settled()).toMatchObject([
      { kind: 'test', state: 'skipped', skipReason: 'endpoint_deleted', attemptsMade: 0 },
    ]);
    expect(recipient.hook.received).toHaveLength(0);
  });
});
