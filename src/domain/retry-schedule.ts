const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The waits after successive failures, in milliseconds: 1 min, 5 min, 30 min, 2 h, 6 h (spec §8). */
export const RETRY_SCHEDULE: readonly number[] = [
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
];

/** What follows a failed attempt. */
export type AfterFailure = { state: 'retrying'; retryInMs: number } | { state: 'failed' };

/**
 * Decides what follows the failed attempt with this number (the first is 1): another one after
 * the schedule's wait, or the end of the delivery once the schedule is used up (spec §§3.5, 8).
 */
export function afterFailure(schedule: readonly number[], attemptNumber: number): AfterFailure {
  const retryInMs = schedule[attemptNumber - 1];
  return retryInMs === undefined ? { state: 'failed' } : { state: 'retrying', retryInMs };
}
