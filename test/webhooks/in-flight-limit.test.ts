import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createInFlightLimit } from '../../src/webhooks/in-flight-limit.ts';

/** Longer than any test. */
const PATIENCE_MS = 60_000;

/** Work that lasts until it is released. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, wait: () => opened };
}

describe('the limit on work in flight', () => {
  it('never runs more than the maximum under one key, and all of it in the end', async () => {
    const limit = createInFlightLimit(3);
    let running = 0;
    let most = 0;
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        limit.run('ep', PATIENCE_MS, async () => {
          most = Math.max(most, (running += 1));
          await sleep(i % 4);
          running -= 1;
          return i;
        }),
      ),
    );
    expect(most).toBe(3);
    expect(results).toEqual(Array.from({ length: 40 }, (_, i) => i));
    expect(limit.activeKeys).toBe(0);
  });

  it('serves waiters in the order they came', async () => {
    const limit = createInFlightLimit(1);
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3, 4].map((n) => limit.run('ep', PATIENCE_MS, async () => void order.push(n))),
    );
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('holds up one key without touching another', async () => {
    const limit = createInFlightLimit(1);
    const slow = gate();
    const first = limit.run('slow', PATIENCE_MS, slow.wait);
    await expect(limit.run('quick', PATIENCE_MS, async () => 'done')).resolves.toBe('done');
    slow.open();
    await first;
  });

  it('frees the place when the work throws, at once or later', async () => {
    const limit = createInFlightLimit(1);
    const boom = () => {
      throw new Error('at once');
    };
    await expect(limit.run('ep', PATIENCE_MS, boom)).rejects.toThrow('at once');
    await expect(
      limit.run('ep', PATIENCE_MS, () => Promise.reject(new Error('later'))),
    ).rejects.toThrow();
    await expect(limit.run('ep', PATIENCE_MS, async () => 1)).resolves.toBe(1);
    expect(limit.activeKeys).toBe(0);
  });

  it('lets a waiter give up once nothing finishes any more, without losing a place', async () => {
    const limit = createInFlightLimit(1);
    const slow = gate();
    const first = limit.run('ep', PATIENCE_MS, slow.wait);
    const second = limit.run('ep', 20, async () => 'second');
    const third = limit.run('ep', PATIENCE_MS, async () => 'third');
    await expect(second).resolves.toBeUndefined();
    slow.open();
    await expect(third).resolves.toBe('third');
    await first;
    expect(limit.activeKeys).toBe(0);
  });

  it('lets a waiter go on waiting, beyond its patience, while the queue moves', async () => {
    const limit = createInFlightLimit(1);
    // Ten times 20 ms before the last one's turn: twice its patience, but never a standstill.
    const ahead = Array.from({ length: 10 }, () => limit.run('ep', PATIENCE_MS, () => sleep(20)));
    const last = limit.run('ep', 100, async () => 'served');
    await expect(last).resolves.toBe('served');
    await Promise.all(ahead);
  });

  it('refuses a maximum below one', () => {
    expect(() => createInFlightLimit(0)).toThrow(RangeError);
  });
});
