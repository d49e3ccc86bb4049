import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptedDelivery, finishedDelivery, newCustomer } from '../support/customer.ts';
import { hang, startScene, status, statuses, type Answer, type Scene } from '../support/scene.ts';

const TIMEOUT_MS = 1_000;

/*
 * The cases of one group run side by side: a timer of Temporal's takes a second at the least,
 * however short it is set.
 */

let scene: Scene;
let closedOrigin: string;

beforeAll(async () => {
  closedOrigin = `http://127.0.0.1:${await closedPort()}`;
  const env = { RETRY_SCHEDULE: '100ms,100ms', DELIVERY_TIMEOUT: `${TIMEOUT_MS}ms` };
  scene = await startScene(env, { origins: [closedOrigin] });
});

afterAll(() => scene.close());

/** A port on which nothing listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Moves a deal whose endpoint answers like this; the log after the first attempt. */
async function logAfterFirst(answer: Answer) {
  const hook = scene.newHook(answer);
  const eventId = await (await newCustomer(scene.records, hook.url)).move();
  const [attempt] = (await attemptedDelivery(scene.records, eventId)).attempts;
  return { hook, eventId, attempt: attempt! };
}

/** Moves a deal whose endpoint answers like this; the log when the delivery is final. */
async function logAtEnd(answer: Answer) {
  const hook = scene.newHook(answer);
  const eventId = await (await newCustomer(scene.records, hook.url)).move();
  const delivery = await finishedDelivery(scene.records, eventId);
  return { hook, eventId, delivery, codes: delivery.attempts.map((one) => one.statusCode) };
}

describe.concurrent('a 2xx ends the delivery (spec §3.5)', () => {
  it.each([200, 201, 204, 299])('%i', async (code) => {
    const { hook, delivery } = await logAtEnd(status(code));
    expect(delivery).toMatchObject({ state: 'delivered', attemptsMade: 1, lastStatusCode: code });
    expect(delivery).toMatchObject({ lastError: null, skipReason: null, nextAttemptAt: null });
    expect(delivery.attempts).toMatchObject([
      { number: 1, statusCode: code, error: null, redirectTarget: null, url: hook.url },
    ]);
    expect(hook.received).toHaveLength(1);
  });
});

describe.concurrent(
  'any other answer fails the attempt, and it is tried again (spec §§3.5, 7.2)',
  () => {
    it.each([400, 401, 404, 410, 429, 500, 503])('%i', async (code) => {
      const { hook, delivery, codes } = await logAtEnd(status(code));
      expect(codes).toEqual([code, code, code]);
      expect(delivery).toMatchObject({ state: 'failed', attemptsMade: 3, lastStatusCode: code });
      expect(delivery.lastError).toBe('http_status');
      expect(delivery.nextAttemptAt).toBeNull();
      expect(hook.received).toHaveLength(3);
    });

    it('even one that asks to wait: Retry-After does not change the schedule', async () => {
      const { delivery } = await logAtEnd((response) => {
        response.writeHead(503, { 'Retry-After': '3600' }).end();
      });
      expect(delivery).toMatchObject({ state: 'failed', attemptsMade: 3 });
    });
  },
);

describe.concurrent('a redirect fails the attempt and is not followed (spec §6.2)', () => {
  it.each([301, 302, 303, 307, 308])('%i', async (code) => {
    const target = scene.newHook();
    const { hook, delivery, codes } = await logAtEnd((response) => {
      response.writeHead(code, { Location: `${target.url}?token=hidden` }).end();
    });
    expect(codes).toEqual([code, code, code]);
    expect(delivery).toMatchObject({ state: 'failed', lastError: 'redirect' });
    expect(delivery.attempts[0]?.redirectTarget).toBe(target.url);
    expect(hook.received).toHaveLength(3);
    expect(target.received).toHaveLength(0);
  });
});

describe.concurrent('the attempts go on until one succeeds', () => {
  it.each([
    ['second', [503, 200]],
    ['third', [503, 410, 200]],
  ])('delivered at the %s', async (_ordinal, expected) => {
    const { hook, delivery, codes } = await logAtEnd(statuses(...expected));
    expect(codes).toEqual(expected);
    expect(delivery).toMatchObject({ state: 'delivered', lastStatusCode: 200, lastError: null });
    expect(hook.received).toHaveLength(expected.length);
  });
});

describe.concurrent(
  'a receiver that misbehaves fails the attempt, with the reason in the log',
  () => {
    it('no answer within the time limit', async () => {
      const { attempt } = await logAfterFirst(hang);
      expect(attempt).toMatchObject({ error: 'timeout', statusCode: null, responseExcerpt: null });
      expect(attempt.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 5);
    });

    it('a 200 whose body drips in without an end', async () => {
      const { attempt } = await logAfterFirst((response) => {
        response.writeHead(200).write('.');
        const dripping = setInterval(() => response.write('.'), 50);
        response.on('close', () => clearInterval(dripping));
      });
      expect(attempt).toMatchObject({ error: 'timeout', statusCode: 200 });
      expect(attempt.responseExcerpt).toMatch(/^\.+$/);
    });

    it('a reset before the headers', async () => {
      const { attempt } = await logAfterFirst((response) => response.socket?.resetAndDestroy());
      expect(attempt).toMatchObject({ error: 'connection_reset', statusCode: null });
    });

    it('a reset in the middle of the body', async () => {
      const { attempt } = await logAfterFirst((response) => {
        response.writeHead(200, { 'Content-Length': '100' });
        response.write('half', () => setTimeout(() => response.socket?.resetAndDestroy(), 50));
      });
      expect(attempt).toMatchObject({ error: 'connection_reset', statusCode: 200 });
    });

    it('a connection that is refused', async () => {
      const customer = await newCustomer(scene.records, `${closedOrigin}/hook`);
      const delivery = await finishedDelivery(scene.records, await customer.move());
      expect(delivery).toMatchObject({ state: 'failed', attemptsMade: 3, lastStatusCode: null });
      expect(delivery.lastError).toBe('connection_refused');
    });

    it('an address that is not public and not let through is never contacted (spec §6.2)', async () => {
      const listener = createServer().listen(0, '127.0.0.1');
      await once(listener, 'listening');
      let connections = 0;
      listener.on('connection', () => (connections += 1));
      const { port } = listener.address() as AddressInfo;
      const customer = await newCustomer(scene.records, `https://127.0.0.1:${port}/hook`);
      const delivery = await finishedDelivery(scene.records, await customer.move());
      listener.close();
      expect(delivery).toMatchObject({ state: 'failed', lastStatusCode: null });
      expect(delivery.lastError).toMatch(/^(url|address)_refused$/);
      expect(connections).toBe(0);
    });
  },
);

describe.concurrent('the log keeps the beginning of the answer', () => {
  it('all of a short one', async () => {
    const { attempt } = await logAfterFirst(status(500, 'Überlastet: try later'));
    expect(attempt.responseExcerpt).toBe('Überlastet: try later');
  });

  it('the first 1 KB of a big one, which changes no verdict', async () => {
    const { hook, delivery } = await logAtEnd((response) => {
      response.writeHead(200);
      for (let chunk = 0; chunk < 64; chunk += 1) response.write('x'.repeat(64 * 1_024));
      response.end();
    });
    expect(delivery).toMatchObject({ state: 'delivered', attemptsMade: 1 });
    expect(delivery.attempts[0]?.responseExcerpt).toBe('x'.repeat(1_024));
    expect(hook.received).toHaveLength(1);
  });

  it('without bytes that Postgres cannot store', async () => {
    const { attempt } = await logAfterFirst((response) => {
      response.writeHead(500).end(Buffer.from([0x61, 0, 0xff, 0x62]));
    });
    expect(attempt.responseExcerpt).toBe('a\ufffdb');
  });
});
