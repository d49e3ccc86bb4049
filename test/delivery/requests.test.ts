import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finishedDelivery, newCustomer, storedBody } from '../support/customer.ts';
import type { Received } from '../support/receiver.ts';
import { startScene, statuses, type Scene } from '../support/scene.ts';
import { verifyReceipt } from './receipt.ts';

let scene: Scene;

beforeAll(async () => {
  // Timestamps are whole seconds: the second wait is long enough for a new one.
  scene = await startScene({ RETRY_SCHEDULE: '100ms,1100ms' });
});

afterAll(() => scene.close());

/** Delivers one event to an endpoint that answers with these codes in turn. */
async function deliver(...codes: number[]) {
  const hook = scene.newHook(statuses(...codes));
  const customer = await newCustomer(scene.records, hook.url);
  const eventId = await customer.move();
  await finishedDelivery(scene.records, eventId);
  const { secret } = customer.endpoints[0]!;
  return { hook, customer, secret, eventId, body: await storedBody(scene.records, eventId) };
}

const header = (request: Received | undefined, name: string) => String(request?.headers[name]);

describe('a delivery', () => {
  it('is a POST whose body is the very bytes of the event row (spec §4.1)', async () => {
    const { hook, customer, eventId, body } = await deliver(200);
    const [request] = hook.received;
    expect(request?.body.equals(body)).toBe(true);
    expect(request?.headers['content-length']).toBe(String(body.length));
    expect(request?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(body.toString())).toMatchObject({
      ...{ id: eventId, type: 'deal.status_changed', user_id: customer.accountId },
      data: { from_status: 'NEW', to_status: 'CONTACTED' },
    });
  });

  it('carries the four headers, the signature once (spec §6.3)', async () => {
    const { hook, eventId } = await deliver(200);
    const [request] = hook.received;
    const own = Object.keys(request!.headers).filter((name) => name.startsWith('x-svc-'));
    expect(own.sort()).toEqual([
      'x-svc-event-id',
      'x-svc-event-type',
      'x-svc-signature',
      'x-svc-timestamp',
    ]);
    expect(header(request, 'x-svc-event-id')).toBe(eventId);
    expect(header(request, 'x-svc-event-type')).toBe('deal.status_changed');
    expect(header(request, 'x-svc-signature')).toMatch(/^v1=[0-9a-f]{64}$/);
    expect(Math.abs(Number(header(request, 'x-svc-timestamp')) - Date.now() / 1_000)).toBeLessThan(
      60,
    );
  });

  it("is accepted by a customer's own verification (spec §5.2)", async () => {
    const { hook, secret } = await deliver(200);
    const [request] = hook.received;
    expect(await verifyReceipt(request!, secret)).toBe('accepted');
    expect(await verifyReceipt(request!, `${secret}x`)).toBe('bad signature');
    const forged = { ...request!, body: Buffer.concat([request!.body, Buffer.from(' ')]) };
    expect(await verifyReceipt(forged, secret)).toBe('bad signature');
    const later = Date.now() / 1_000 + 400;
    expect(await verifyReceipt(request!, secret, later)).toBe('too old');
  });

  it('to two endpoints is signed with the secret of each', async () => {
    const hooks = [scene.newHook(), scene.newHook()];
    const customer = await newCustomer(scene.records, ...hooks.map((hook) => hook.url));
    await scene.completed(await customer.move());
    for (const [index, { secret }] of customer.endpoints.entries()) {
      expect(await verifyReceipt(hooks[index]!.received[0]!, secret)).toBe('accepted');
      expect(await verifyReceipt(hooks[1 - index]!.received[0]!, secret)).toBe('bad signature');
    }
  });
});

describe('a retry', () => {
  it('has the same id and bytes, and a timestamp and signature of its own (spec §6.2)', async () => {
    const { hook, secret, body } = await deliver(500, 500, 200);
    const { received } = hook;
    expect(received).toHaveLength(3);
    expect(new Set(received.map((request) => header(request, 'x-svc-event-id'))).size).toBe(1);
    for (const request of received) {
      expect(request.body.equals(body)).toBe(true);
      expect(await verifyReceipt(request, secret)).toBe('accepted');
    }
    const [, second, third] = received;
    const [before, after] = [second, third].map((one) => Number(header(one, 'x-svc-timestamp')));
    expect(after).toBeGreaterThan(before!);
    expect(header(third, 'x-svc-signature')).not.toBe(header(second, 'x-svc-signature'));
  });
});
