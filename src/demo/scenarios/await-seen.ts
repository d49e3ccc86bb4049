import { pollUntil } from '../../engine/poll-until.ts';
import { notSeen } from './not-seen.ts';

/** How long something is waited for before the demo says that it was not seen, in milliseconds. */
const PATIENCE_MS = 60_000;

const LOOK_MS = 20;

/**
 * Looks again and again until `look` finds something, and answers it. Rejects with an error that says
 * what was not seen when that takes too long, and with the signal's reason when that is aborted.
 */
export async function awaitSeen<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  { signal, patienceMs = PATIENCE_MS }: { signal: AbortSignal; patienceMs?: number },
): Promise<T> {
  const end = performance.now() + patienceMs;
  let found: T | undefined;
  await pollUntil(
    async () => {
      found = await look();
      if (found !== undefined) return true;
      if (performance.now() <= end) return false;
      throw notSeen(`${what}, within ${patienceMs / 1000} seconds.`);
    },
    signal,
    LOOK_MS,
  );
  return found as T;
}
