import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveries } from '../../drizzle/schema.ts';
import { listDeliveries, type LoggedDelivery } from '../../src/deliveries/list-deliveries.ts';
import { deleteEndpoint } from '../../src/endpoints/delete-endpoint.ts';
import { sendTest } from '../../src/endpoints/send-test.ts';
import { updateEndpoint } from '../../src/endpoints/update-endpoint.ts';
import { AppError } from '../../src/errors.ts';
import { newId } from '../../src/ids.ts';
import { redeliver } from '../../src/redelivery/redeliver.ts';
import { stateQuery } from '../../workflows/contract.ts';
import { verifyReceipt } from '../delivery/receipt.ts';
import { eventually, finishedDelivery, storedBody } from '../support/customer.ts';
import { endpointRow } from '../support/endpoint-row.ts';
import { startScene, status, type Answer, type Scene } from '../support/scene.ts';
import { gotRequests, holding, newRecipient, type Recipient } from './recipient.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene({ RETRY_SCHEDULE: '100ms,100ms', DELIVERY_TIMEOUT: '1m' });
});

afterAll(() => scene.close());

const again = ({ accountId }: { accountId: string }, deliveryId: string) =>
  redeliver(scene.records.context, { accountId, deliveryId });

/** A delivery that came to its end with these answers. */
async function delivered(answer: Answer = status(200)) {
  const recipient = await newRecipient(scene, answer);
  const [eventId = ''] = await recipient.move(1);
  return { recipient, eventId, delivery: await finishedDelivery(scene.records, eventId) };
}

async function skipped() {
  const recipient = await newRecipient(scene);
  const [eventId = ''] = await recipient.miss(1);
  return { recipient, eventId, delivery: await finishedDelivery(scene.records, eventId) };
}

/** Signatures have whole seconds. */
const nextSecond = (second = Math.floor(Date.now() / 1_000)) =>
  eventually(() => Date.now() / 1_000 > second + 1);

/** What a redelivery was refused with. */
async function refusal(recipient: { accountId: string }, deliveryId: string): Promise<AppError> {
  const error: unknown = await again(recipient, deliveryId).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) throw new Error('It was not refused.', { cause: error });
  return error;
}

/** Expects a finished redelivery to be marked as one, and the log to show both. */
async function expectMarked(recipient: Recipient, original: LoggedDelivery, id: string) {
  const { accountId, endpointId } = recipient.which;
  const redelivery = await recipient.finished(id);
  expect(redelivery).toMatchObject({
    ...{ kind: 'redelivery', redeliveryOf: original.id, replacedBy: null },
    ...{ eventId: original.eventId, eventType: original.eventType, endpointId },
  });
  const log = await listDeliveries(scene.records.db, { accountId, endpointId });
  expect(log.map((entry) => entry.id)).toEqual([id, original.id]);
  expect(log[1]).toMatchObject({ kind: 'automatic', replacedBy: id, state: original.state });
  return redelivery;
}

describe('a redelivery is a new delivery of the same event (spec §4.1)', () => {
  it.each([
    ['delivered', () => delivered()],
    ['failed', () => delivered(status(500))],
    ['skipped', () => skipped()],
  ] as const)(
    'of a %s one: the same id and bytes, a fresh signature, marked',
    async (state, make) => {
      const { recipient, eventId, delivery } = await make();
      expect(delivery.state).toBe(state);
      const before = recipient.hook.received.length;
      await nextSecond();
      recipient.answer = status(200);
      const id = await again(recipient, delivery.id);
      const redelivery = await expectMarked(recipient, delivery, id);
      expect(redelivery).toMatchObject({ state: 'delivered', attemptsMade: 1 });
      expect(recipient.hook.received).toHaveLength(before + 1);

      const request = recipient.hook.received.at(-1)!;
      expect(request.headers['x-svc-event-id']).toBe(eventId);
      expect(request.body.equals(await storedBody(scene.records, eventId))).toBe(true);
      expect(await verifyReceipt(request, recipient.endpoint.secret)).toBe('accepted');
      for (const earlier of recipient.hook.received.slice(0, before)) {
        expect(earlier.body.equals(request.body)).toBe(true);
        const [then, now] = [earlier, request].map(({ headers }) => headers['x-svc-timestamp']);
        expect(Number(now)).toBeGreaterThan(Number(then));
        expect(request.headers['x-svc-signature']).not.toBe(earlier.headers['x-svc-signature']);
      }
    },
  );

  it('it has the whole schedule, and a workflow of its own by the id redelivery:<id>', async () => {
    const { recipient, delivery } = await delivered();
    recipient.answer = status(503);
    const id = await again(recipient, delivery.id);
    expect(await recipient.finished(id)).toMatchObject({ state: 'failed', attemptsMade: 3 });
    const workflow = scene.delivering.client.workflow.getHandle(`redelivery:${id}`);
    expect(await workflow.query(stateQuery)).toMatchObject([
      { deliveryId: id, state: 'failed', attemptsMade: 3, lastResult: '503' },
    ]);
    expect(recipient.hook.received).toHaveLength(4);
  });

  it('of a redelivery: the original is not touched again, and each names what it repeats', async () => {
    const { recipient, eventId, delivery } = await delivered(status(500));
    const second = await again(recipient, delivery.id);
    await recipient.finished(second);
    recipient.answer = status(200);
    const third = await again(recipient, second);
    expect(await recipient.finished(third)).toMatchObject({ state: 'delivered', eventId });
    const log = await recipient.log();
    expect(log.map(({ id, redeliveryOf, replacedBy }) => [id, redeliveryOf, replacedBy])).toEqual([
      [delivery.id, null, second],
      [second, delivery.id, third],
      [third, second, null],
    ]);
    // Of the original once more: only what has the last word is sent again, and the answer names it.
    await expect(again(recipient, delivery.id)).rejects.toMatchObject({
      ...{ code: 'conflict', message: expect.stringContaining(third) as string },
    });
    expect(await recipient.log()).toHaveLength(3);
  });

  it('it goes though the type has been unsubscribed from', async () => {
    const { recipient, delivery } = await delivered(status(500));
    const { context } = scene.records;
    await updateEndpoint(context, { ...recipient.which, eventTypes: ['rescore.summary'] });
    recipient.answer = status(200);
    const id = await again(recipient, delivery.id);
    expect(await recipient.finished(id)).toMatchObject({ state: 'delivered' });
  });
});

describe('a double click makes one redelivery, and the others are a conflict', () => {
  it.each([2, 10])('%i at once', async (clicks) => {
    // Many times over: the clicks have to meet at every point of the way.
    for (let round = 0; round < 8; round += 1) {
      const { recipient, delivery } = await delivered();
      // Every other time the first redelivery is over before the last click comes.
      const held = holding(200);
      if (round % 2 === 0) recipient.answer = held.answer;
      const all = await Promise.allSettled(
        Array.from({ length: clicks }, () => again(recipient, delivery.id)),
      );
      const made = all.filter((one) => one.status === 'fulfilled');
      const refused = all.flatMap((one) =>
        one.status === 'rejected' ? [one.reason as unknown] : [],
      );
      expect(made).toHaveLength(1);
      expect(refused).toHaveLength(clicks - 1);
      for (const error of refused) expect(error).toMatchObject({ code: 'conflict' });
      held.release();
      expect(await recipient.settled()).toHaveLength(2);
      expect(recipient.hook.received).toHaveLength(2);
    }
  });

  it('on the original and on its redelivery at once: also one', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { recipient, delivery } = await delivered();
      const second = await again(recipient, delivery.id);
      await recipient.finished(second);
      const held = holding(200);
      recipient.answer = held.answer;
      const all = await Promise.allSettled([
        ...[again(recipient, delivery.id), again(recipient, second)],
        ...[again(recipient, second), again(recipient, delivery.id)],
      ]);
      expect(all.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
      held.release();
      expect(await recipient.settled()).toHaveLength(3);
    }
  });
});

describe('what cannot be redelivered is refused, and nothing is made', () => {
  it('one that is under way: a conflict', async () => {
    const held = holding(200);
    const recipient = await newRecipient(scene, held.answer);
    await recipient.move(1);
    await gotRequests(recipient.hook, 1);
    const [delivery] = await recipient.log();
    const error = await refusal(recipient, delivery!.id);
    expect(error).toMatchObject({ code: 'conflict' });
    expect(error.message).toContain('under way');
    held.release();
    expect(await recipient.settled()).toHaveLength(1);
  });

  it('one whose redelivery is under way: a conflict that names it', async () => {
    const { recipient, delivery } = await delivered();
    const held = holding(200);
    recipient.answer = held.answer;
    const id = await again(recipient, delivery.id);
    const error = await refusal(recipient, delivery.id);
    expect(error).toMatchObject({ code: 'conflict' });
    expect(error.message).toContain(id);
    held.release();
    await recipient.settled();
  });

  it('to a paused and to a deleted endpoint: a conflict', async () => {
    const { recipient, delivery } = await delivered();
    await recipient.pause();
    const paused = await refusal(recipient, delivery.id);
    expect(paused).toMatchObject({ code: 'conflict' });
    expect(paused.message).toContain('resume it first');
    await deleteEndpoint(scene.records.context, recipient.which);
    const deleted = await refusal(recipient, delivery.id);
    expect(deleted).toMatchObject({ code: 'conflict' });
    expect(deleted.message).toContain('deleted');
    expect(await recipient.log()).toHaveLength(1);
  });

  it('a test: a conflict', async () => {
    const recipient = await newRecipient(scene);
    const eventTypes = ['deal.closed'];
    const [id = ''] = await sendTest(scene.records.context, recipient.which, { eventTypes });
    await recipient.finished(id);
    expect(await refusal(recipient, id)).toMatchObject({ code: 'conflict' });
    expect(await recipient.log()).toHaveLength(1);
  });

  it("another account's: not_found, to the letter as for an id that does not exist", async () => {
    const { recipient, delivery } = await delivered();
    const stranger = await newRecipient(scene);
    const foreign = await refusal(stranger, delivery.id);
    const unknown = await refusal(stranger, newId('delivery'));
    expect(foreign).toMatchObject({ code: 'not_found' });
    expect({ ...foreign, message: foreign.message }).toEqual({
      ...{ ...unknown, message: unknown.message },
    });
    expect(await recipient.log()).toHaveLength(1);
  });
});

describe('a redelivery and the health of its endpoint (spec §3.5)', () => {
  const failingSince = async ({ which }: Recipient) =>
    (await endpointRow(scene.records, which.endpointId)).failingSince;

  it('its 2xx ends an episode of failures', async () => {
    const { recipient, delivery } = await delivered(status(500));
    expect(await failingSince(recipient)).not.toBeNull();
    recipient.answer = status(200);
    await recipient.finished(await again(recipient, delivery.id));
    expect(await failingSince(recipient)).toBeNull();
  });

  it('its failure begins none, at any of its attempts', async () => {
    const { recipient, delivery } = await delivered();
    recipient.answer = status(500);
    const id = await again(recipient, delivery.id);
    expect(await recipient.finished(id)).toMatchObject({ state: 'failed', attemptsMade: 3 });
    expect(await failingSince(recipient)).toBeNull();
  });

  it('its failure does not move the beginning of one', async () => {
    const { recipient, delivery } = await delivered(status(500));
    const since = await failingSince(recipient);
    await recipient.finished(await again(recipient, delivery.id));
    expect(await failingSince(recipient)).toBe(since);
  });
});

it('the row of a redelivery names its event and account; nothing of the original is changed but who took over', async () => {
  const { recipient, delivery } = await delivered(status(500));
  const { db } = scene.records;
  const [before] = await db.select().from(deliveries).where(eq(deliveries.id, delivery.id));
  const id = await again(recipient, delivery.id);
  await recipient.finished(id);
  const [after, redelivery] = await recipient.log();
  expect(after).toEqual({ ...before, replacedBy: id });
  const { accountId, eventId, eventType, eventAt, endpointId } = before!;
  expect(redelivery).toMatchObject({
    accountId,
    eventId,
    eventType,
    eventAt,
    endpointId,
    round: 1,
  });
});
