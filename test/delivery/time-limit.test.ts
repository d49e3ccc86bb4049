import { afterAll, beforeAll, expect, it } from 'vitest';
import { attemptedDelivery, newCustomer } from '../support/customer.ts';
import { hang, startScene, type Scene } from '../support/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
});

afterAll(() => scene.close());

it('gives up after 10 seconds without a 2xx and tries again in a minute (spec §8)', async () => {
  const silent = scene.newHook(hang);
  const late = scene.newHook((response) => {
    // The status comes in time and the end of the body does not.
    response.writeHead(200).write('wait for it');
  });
  const events = [];
  for (const { url } of [silent, late]) {
    events.push(await (await newCustomer(scene.records, url)).move());
  }
  const logs = await Promise.all(events.map((id) => attemptedDelivery(scene.records, id)));
  for (const delivery of logs) {
    expect(delivery).toMatchObject({ state: 'retrying', attemptsMade: 1, lastError: 'timeout' });
    const [attempt] = delivery.attempts;
    expect(attempt?.durationMs).toBeGreaterThanOrEqual(9_990);
    expect(attempt?.durationMs).toBeLessThan(13_000);
    const inMs = Date.parse(delivery.nextAttemptAt ?? '') - Date.now();
    expect(inMs).toBeGreaterThan(50_000);
    expect(inMs).toBeLessThanOrEqual(60_000);
  }
  expect([silent.received.length, late.received.length]).toEqual([1, 1]);
});
