import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/client.ts';
import {
  attemptedDelivery,
  BUYER,
  deliveryOf,
  eventually,
  finishedDelivery,
  newCustomer,
  storedBody,
} from '../support/customer.ts';
import { historyToJson, readableText } from '../support/history.ts';
import { startScene, status, type Answer, type Scene } from '../support/scene.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

/** The name of the service's connections in pg_stat_activity. */
const SERVICE = 'faulty-service';

let scene: Scene;
let proxy: TcpProxy;

beforeAll(async () => {
  scene = await startScene(
    { RETRY_SCHEDULE: '1h' },
    {
      async openDatabase(url) {
        proxy = await TcpProxy.start(url);
        return openDatabase(proxy.url(url), { max: 10, name: SERVICE });
      },
    },
  );
});

afterAll(async () => {
  await scene.close();
  await proxy.close();
});

beforeEach(() => {
  proxy.onLink = undefined;
});

/** Breaks the service's connections to Postgres, and every new one until it is restored. */
function cutOff(): { restore: () => void } {
  proxy.onLink = (link) => link.break('reset');
  for (const link of proxy.links) link.break('reset');
  return { restore: () => (proxy.onLink = undefined) };
}

/** Does something when the first request comes in, before it is answered. */
function atFirst(act: () => void | Promise<void>, reply: Answer): Answer {
  let done = false;
  return (response, request) => {
    if (done) return reply(response, request);
    done = true;
    void Promise.resolve(act()).then(() => reply(response, request));
  };
}

/** Expects the end of the workflow to be what Postgres has, and one row for each attempt. */
async function expectSettled(eventId: string, state: string, attempts: number): Promise<void> {
  const delivery = await finishedDelivery(scene.records, eventId);
  expect(delivery).toMatchObject({ state, attemptsMade: attempts });
  expect(delivery.attempts.map(({ number }) => number)).toEqual(
    Array.from({ length: attempts }, (_, index) => index + 1),
  );
  expect(await scene.completed(eventId)).toMatchObject([{ state, attemptsMade: attempts }]);
}

/** The workflow must not have learnt, from errors either, what is not for Temporal to keep. */
async function expectIdsOnly(eventId: string, secrets: string[]): Promise<void> {
  const history = await scene.workflowOf(eventId).fetchHistory();
  const text = readableText(historyToJson(history));
  expect(text).toContain(eventId);
  for (const secret of secrets) expect(text).not.toContain(secret);
}

describe('Postgres goes away during an attempt', () => {
  it('and its connections are ended: the delivery is sent again and recorded once', async () => {
    const { sql } = scene.records.database;
    const terminate = async () => {
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${SERVICE}`;
    };
    const hook = scene.newHook(atFirst(terminate, status(200, 'thanks')));
    const customer = await newCustomer(scene.records, hook.url);
    const eventId = await customer.move();
    await expectSettled(eventId, 'delivered', 1);
    // At least once: the bytes and the id are the same.
    const body = await storedBody(scene.records, eventId);
    for (const request of hook.received) expect(request.body.equals(body)).toBe(true);
  });

  it('and stays away for a while: the delivery ends delivered, as recorded', async () => {
    let connection: { restore: () => void } | undefined;
    const hook = scene.newHook(
      atFirst(() => void (connection = cutOff()), status(200, 'a secret of the receiver')),
    );
    const customer = await newCustomer(scene.records, hook.url);
    const eventId = await customer.move();
    // The workflow has come to know of the fault, which it times by itself.
    await eventually(async () => {
      const { raw } = await scene.describe(eventId);
      return (raw.pendingActivities?.[0]?.attempt ?? 0) > 1;
    });
    expect(await deliveryOf(scene.records, eventId)).toMatchObject({ state: 'pending' });
    connection?.restore();
    await expectSettled(eventId, 'delivered', 1);
    expect(hook.received.length).toBeGreaterThanOrEqual(2);
    await expectIdsOnly(eventId, [
      ...[hook.url, new URL(hook.url).pathname, BUYER, 'a secret of the receiver'],
      customer.endpoints[0]!.secret,
    ]);
  });

  it('just after recording a success, before it could say so: nothing is sent twice', async () => {
    const hook = scene.newHook(atFirst(delayAnswers, status(200)));
    const customer = await newCustomer(scene.records, hook.url);
    const eventId = await customer.move();
    await attemptedDelivery(scene.records, eventId);
    for (const link of proxy.links) link.break('reset');
    await expectSettled(eventId, 'delivered', 1);
    expect(hook.received).toHaveLength(1);
  });

  it('just after recording a failure: the retry is timed, and nothing is sent twice', async () => {
    const hook = scene.newHook(atFirst(delayAnswers, status(503)));
    const customer = await newCustomer(scene.records, hook.url);
    const eventId = await customer.move();
    await attemptedDelivery(scene.records, eventId);
    for (const link of proxy.links) link.break('reset');
    expect(await scene.waitingForRetry(eventId)).toMatchObject({
      ...{ state: 'retrying', attemptsMade: 1, lastResult: '503' },
    });
    expect(hook.received).toHaveLength(1);
  });
});

/** Holds everything that Postgres says back, so that a test can act before it is heard. */
function delayAnswers(): void {
  for (const link of proxy.links) link.delay(700);
}

describe('Postgres goes away between events', () => {
  it('and an event recorded meanwhile is delivered when it is back', async () => {
    const hook = scene.newHook();
    const customer = await newCustomer(scene.records, hook.url);
    const { restore } = cutOff();
    const eventId = await customer.move();
    restore();
    await expectSettled(eventId, 'delivered', 1);
    expect(hook.received).toHaveLength(1);
  });
});
