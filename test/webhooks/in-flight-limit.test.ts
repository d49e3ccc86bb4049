import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createInFlightLimit } from '../../src/webhooks/in-flight-limit.ts';

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
        limit.run('ep', async () => {
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
    await Promise.all([1, 2, 3, 4].map((n) => limit.run('ep', async () => void order.push(n))));
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('holds up one key without touching another', async () => {
    const limit = createInFlightLimit(1);
    const slow = gate();
    const first = limit.run('slow', slow.wait);
    expect(limit.isAtLimit('slow')).toBe(true);
    expect(limit.isAtLimit('quick')).toBe(false);
    await expect(limit.run('quick', async () => 'done')).resolves.toBe('done');
    slow.open();
    await first;
    expect(limit.isAtLimit('slow')).toBe(false);
  });

  it('frees the place when the work throws, at once or later', async () => {
    const limit = createInFlightLimit(1);
    const boom = () => {
      throw new Error('at once');
    };
    await expect(limit.run('ep', boom)).rejects.toThrow('at once');
    await expect(limit.run('ep', () => Promise.reject(new Error('later')))).rejects.toThrow();
    await expect(limit.run('ep', async () => 1)).resolves.toBe(1);
    expect(limit.activeKeys).toBe(0);
  });

  it('lets a waiter give up without losing a place', async () => {
    const limit = createInFlightLimit(1);
    const slow = gate();
    const controller = new AbortController();
    const first = limit.run('ep', slow.wait);
    const second = limit.run('ep', async () => 'second', controller.signal);
    const third = limit.run('ep', async () => 'third');
    controller.abort(new Error('given up'));
    await expect(second).rejects.toThrow('given up');
    slow.open();
    await expect(third).resolves.toBe('third');
    await first;
    expect(limit.activeKeys).toBe(0);
  });

  it('does not begin for a signal that has aborted', async () => {
    const limit = createInFlightLimit(1);
    const run = limit.run('ep', async () => 1, AbortSignal.abort(new Error('too late')));
    await expect(run).rejects.toThrow('too late');
    expect(limit.activeKeys).toBe(0);
  });

  it('refuses a maximum below one', () => {
    expect(() => createInFlightLimit(0)).toThrow(RangeError);
  });
});
