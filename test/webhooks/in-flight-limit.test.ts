import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createInFlightLimit, type Terms } from '../../src/webhooks/in-flight-limit.ts';

/** Waits longer than any test, and came when the others did. */
const PATIENT: Terms = { since: 0, standstillMs: 60_000, waitMs: 60_000 };
/** Waits only in one of the first few places. */
const HURRIED: Terms = { ...PATIENT, waitMs: 0 };

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
        limit.run('ep', PATIENT, async () => {
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
      [1, 2, 3, 4].map((n) => limit.run('ep', PATIENT, async () => void order.push(n))),
    );
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('holds up one key without touching another', async () => {
    const limit = createInFlightLimit(1);
    const slow = gate();
    const first = limit.run('slow', PATIENT, slow.wait);
    await expect(limit.run('quick', PATIENT, async () => 'done')).resolves.toBe('done');
    slow.open();
    await first;
  });

  it('frees the place when the work throws, at once or later', async () => {
    const limit = createInFlightLimit(1);
    const boom = () => {
      throw new Error('at once');
    };
    await expect(limit.run('ep', PATIENT, boom)).rejects.toThrow('at once');
    await expect(
      limit.run('ep', PATIENT, () => Promise.reject(new Error('later'))),
    ).rejects.toThrow();
    await expect(limit.run('ep', PATIENT, async () => 1)).resolves.toBe(1);
    expect(limit.activeKeys).toBe(0);
  });

  it('lets a waiter give up once nothing finishes any more, without losing a place', async () => {
    const limit = createInFlightLimit(1);
    const slow = gate();
    const first = limit.run('ep', PATIENT, slow.wait);
    const second = limit.run('ep', { ...PATIENT, standstillMs: 20 }, async () => 'second');
    const third = limit.run('ep', PATIENT, async () => 'third');
    await expect(second).resolves.toBeUndefined();
    slow.open();
    await expect(third).resolves.toBe('third');
    await first;
    expect(limit.activeKeys).toBe(0);
  });

  it('lets a waiter go on waiting, beyond its patience, while the queue moves', async () => {
    const limit = createInFlightLimit(1);
    // Ten times 20 ms before the last one's turn: twice its patience, but never a standstill.
    const ahead = Array.from({ length: 10 }, () => limit.run('ep', PATIENT, () => sleep(20)));
    const last = limit.run('ep', { ...PATIENT, standstillMs: 100 }, async () => 'served');
    await expect(last).resolves.toBe('served');
    await Promise.all(ahead);
  });

  it('serves the one that asked first, though it came last', async () => {
    const limit = createInFlightLimit(1);
    const slow = gate();
    const order: number[] = [];
    const at = (since: number) =>
      limit.run('ep', { ...PATIENT, since }, async () => void order.push(since));
    const all = [limit.run('ep', PATIENT, slow.wait), at(3), at(1), at(2), at(1)];
    slow.open();
    await Promise.all(all);
    expect(order).toEqual([1, 1, 2, 3]);
  });

  it('lets as many wait as may run, and sends the youngest away', async () => {
    const limit = createInFlightLimit(2);
    const slow = gate();
    const served: number[] = [];
    const at = (since: number) =>
      limit.run('ep', { ...HURRIED, since }, async () => void served.push(since));
    const running = [limit.run('ep', HURRIED, slow.wait), limit.run('ep', HURRIED, slow.wait)];
    await sleep(5);
    const [first, second, younger, older] = [at(5), at(7), at(8), at(6)];
    await expect(younger).resolves.toBeUndefined();
    await expect(second).resolves.toBeUndefined();
    slow.open();
    await Promise.all([...running, first, older]);
    expect(served).toEqual([5, 6]);
    expect(limit.activeKeys).toBe(0);
  });

  it('lets more wait while their turn comes soon', async () => {
    const limit = createInFlightLimit(1);
    const terms = { ...PATIENT, waitMs: 2_000 };
    await limit.run('ep', terms, () => sleep(2));
    const all = Array.from({ length: 50 }, () => limit.run('ep', terms, async () => 'served'));
    expect(await Promise.all(all)).toEqual(Array(50).fill('served'));
  });

  it('sends everyone away at once from a lane that stands still already', async () => {
    const limit = createInFlightLimit(1);
    const slow = gate();
    const running = limit.run('ep', PATIENT, slow.wait);
    await sleep(30);
    const askedAt = performance.now();
    const late = limit.run('ep', { ...PATIENT, standstillMs: 20 }, async () => 'late');
    await expect(late).resolves.toBeUndefined();
    expect(performance.now() - askedAt).toBeLessThan(20);
    slow.open();
    await running;
  });

  it('tells those who are sent away to come back one after another, within minutes', async () => {
    const limit = createInFlightLimit(1);
    const slow = gate();
    const running = limit.run('ep', PATIENT, slow.wait);
    await sleep(100);
    const waits = Array.from({ length: 1_000 }, () => limit.comeBackIn('ep'));
    expect(waits[0]).toBeGreaterThanOrEqual(1_000);
    expect(waits[0]).toBeLessThan(1_200);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    // Ten a second, however slow the lane is.
    expect(waits.at(-1)).toBeGreaterThan(90_000);
    expect(waits.at(-1)).toBeLessThanOrEqual(101_000);
    const more = Array.from({ length: 9_000 }, () => limit.comeBackIn('ep'));
    expect(Math.max(...more)).toBeLessThanOrEqual(301_000);
    slow.open();
    await running;
  });

  it('tells them to come back soon when the lane is quick again', async () => {
    const limit = createInFlightLimit(1);
    const slow = gate();
    const hung = limit.run('ep', PATIENT, slow.wait);
    await sleep(100);
    for (let i = 0; i < 1_000; i += 1) limit.comeBackIn('ep');
    const quick = Array.from({ length: 40 }, () => limit.run('ep', PATIENT, async () => undefined));
    const last = gate();
    const running = limit.run('ep', PATIENT, last.wait);
    slow.open();
    await Promise.all([hung, ...quick]);
    expect(limit.comeBackIn('ep')).toBeLessThan(10_000);
    last.open();
    await running;
  });

  it('draws apart what began together in a slow lane', async () => {
    const limit = createInFlightLimit(3);
    const startedAt: number[] = [];
    const work = () => {
      startedAt.push(performance.now());
      return sleep(1_200);
    };
    await Promise.all(Array.from({ length: 6 }, () => limit.run('ep', PATIENT, work)));
    const [, , , fourth = 0, fifth = 0, sixth = 0] = startedAt;
    // A turn every 400 ms is the lane's pace; half of that, less what timers are early.
    expect(fifth - fourth).toBeGreaterThan(180);
    expect(sixth - fifth).toBeGreaterThan(180);
    expect(sixth - fourth).toBeLessThan(800);
  });

  it('refuses a maximum below one', () => {
    expect(() => createInFlightLimit(0)).toThrow(RangeError);
  });
});
