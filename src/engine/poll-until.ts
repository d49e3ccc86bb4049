import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks `check` again and again, `everyMs` milliseconds apart, until it says true.
 * Rejects with the signal's reason once that is aborted.
 */
export async function pollUntil(
  check: () => boolean | Promise<boolean>,
  signal: AbortSignal,
  everyMs = 50,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if (await check()) return;
    await delay(everyMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Like {@link pollUntil}, but gives up after `limitMs` milliseconds: whether it became true. */
export async function becomesTrue(
  check: () => boolean | Promise<boolean>,
  limitMs: number,
  everyMs = 50,
): Promise<boolean> {
  const end = Date.now() + limitMs;
  for (;;) {
    if (await check()) return true;
    if (Date.now() >= end) return false;
    await delay(everyMs);
  }
}
