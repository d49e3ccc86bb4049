import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Activities } from '../../activities/index.ts';
import { createStack } from '../../src/stack.ts';
import { createTestActivities } from '../support/activities.ts';
import { deliveryOf, eventually, newCustomer } from '../support/customer.ts';
import { startTestReceiver, type TestReceiver } from '../support/receiver.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

/*
 * The activity by itself, called as Temporal may call it: twice, late, or beside itself.
 */

let records: TestRecords;
let receiver: TestReceiver;
let activities: Activities;
const stack = createStack();

beforeAll(async () => {
  records = await createTestRecords();
  stack.push(() => records.close());
  receiver = await startTestReceiver();
  stack.push(() => receiver.close());
  const made = createTestActivities(records.db, {
    origins: [receiver.origin],
    env: { RETRY_SCHEDULE: '1m,5m' },
  });
  stack.push(made.close);
  activities = made.activities;
});

afterAll(() => stack.close());

beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = (_request, response) => void response.writeHead(200).end();
});

function answerWith(code: number): void {
  receiver.answer = (_request, response) => void response.writeHead(code).end();
}

/** A delivery to the receiver; nothing makes its attempts but the test. */
async function newDelivery() {
  const customer = await newCustomer(records, `${receiver.origin}/hook`);
  const eventId = await customer.move();
  const { id: deliveryId, endpointId } = await deliveryOf(records, eventId);
  return {
    attempt: (number: number) => activities.attemptDelivery({ deliveryId, endpointId, number }),
    attemptAtOnce: (number: number) => activities.attemptAtOnce({ deliveryId, endpointId, number }),
    cancel: () => activities.cancelDelivery({ deliveryId }),
    log: () => deliveryOf(records, eventId),
  };
}

it('an attempt whose failure is recorded is not sent again, and comes to the same', async () => {
  answerWith(503);
  const { attempt, log } = await newDelivery();
  const first = await attempt(1);
  expect(first).toEqual({ state: 'retrying', reason: '503', retryInMs: 60_000 });
  const recorded = await log();
  answerWith(200);
  expect(await attempt(1)).toEqual(first);
  expect(receiver.received).toHaveLength(1);
  expect(await log()).toEqual(recorded);
});

it('an attempt whose success is recorded is not sent again, and comes to the same', async () => {
  const { attempt, log } = await newDelivery();
  const first = await attempt(1);
  expect(first).toEqual({ state: 'delivered', reason: '200' });
  const recorded = await log();
  expect(await attempt(1)).toEqual(first);
  expect(receiver.received).toHaveLength(1);
  expect(await log()).toEqual(recorded);
});

it('a delivery that is finished is not sent again, whatever the number', async () => {
  const { attempt, log } = await newDelivery();
  await attempt(1);
  const recorded = await log();
  expect(await attempt(2)).toMatchObject({ state: 'delivered' });
  expect(receiver.received).toHaveLength(1);
  expect(await log()).toEqual(recorded);
});

it('a failed delivery stays failed', async () => {
  answerWith(500);
  const { attempt, log } = await newDelivery();
  for (const number of [1, 2, 3]) await attempt(number);
  const recorded = await log();
  expect(recorded).toMatchObject({ state: 'failed', attemptsMade: 3 });
  answerWith(200);
  expect(await attempt(3)).toEqual({ state: 'failed', reason: '500' });
  expect(await attempt(4)).toMatchObject({ state: 'failed' });
  expect(receiver.received).toHaveLength(3);
  expect(await log()).toEqual(recorded);
});

it('a cancelled delivery is not sent, and one that is delivered cannot be cancelled', async () => {
  const cancelled = await newDelivery();
  await cancelled.cancel();
  expect(await cancelled.attempt(1)).toEqual({ state: 'skipped', reason: 'cancelled' });
  expect(receiver.received).toHaveLength(0);
  expect(await cancelled.log()).toMatchObject({ state: 'skipped', skipReason: 'cancelled' });

  const delivered = await newDelivery();
  await delivered.attempt(1);
  await delivered.cancel();
  expect(await delivered.log()).toMatchObject({ state: 'delivered', skipReason: null });
});

it('the first attempt is declined for an endpoint that failed the last time, and not sent', async () => {
  answerWith(503);
  const { attempt, attemptAtOnce, log } = await newDelivery();
  expect(await attemptAtOnce(1)).toMatchObject({ state: 'retrying' });
  expect(await attemptAtOnce(2)).toBeNull();
  expect(receiver.received).toHaveLength(1);
  answerWith(200);
  expect(await attempt(2)).toMatchObject({ state: 'delivered' });
  expect(await log()).toMatchObject({ state: 'delivered', attemptsMade: 2 });
});

it('an unknown delivery is an error of ours that is not tried again', async () => {
  const input = { deliveryId: 'dlv_none', endpointId: 'ep_none', number: 1 };
  await expect(activities.attemptDelivery(input)).rejects.toMatchObject({ nonRetryable: true });
});

it.each([
  [200, 503],
  [503, 200],
])(
  'two twins of an attempt, answered %i and then %i: one row, and both come to what it says',
  async (first, second) => {
    const replies: ((code: number) => void)[] = [];
    receiver.answer = (_request, response) => {
      replies.push((code) => void response.writeHead(code).end());
    };
    const { attempt, log } = await newDelivery();
    const outcomes = [attempt(1), attempt(1)];
    await eventually(() => replies.length === 2);
    replies[0]!(first);
    await Promise.race(outcomes);
    const recorded = await log();
    replies[1]!(second);
    const expected =
      first === 200
        ? { state: 'delivered', reason: '200' }
        : { state: 'retrying', reason: '503', retryInMs: 60_000 };
    expect(await Promise.all(outcomes)).toEqual([expected, expected]);
    expect(await log()).toEqual(recorded);
    expect(recorded.attempts.map(({ statusCode }) => statusCode)).toEqual([first]);
    expect(receiver.received).toHaveLength(2);
  },
);
