import { expect, test } from 'vitest';
import { afterFailure, RETRY_SCHEDULE } from '../../src/domain/retry-schedule.ts';

test('waits 1 min, 5 min, 30 min, 2 h and 6 h after successive failures, then fails (spec §8)', () => {
  const outcomes = [1, 2, 3, 4, 5, 6].map((number) => afterFailure(RETRY_SCHEDULE, number));
  expect(outcomes).toEqual([
    { state: 'retrying', retryInMs: 60_000 },
    { state: 'retrying', retryInMs: 300_000 },
    { state: 'retrying', retryInMs: 1_800_000 },
    { state: 'retrying', retryInMs: 7_200_000 },
    { state: 'retrying', retryInMs: 21_600_000 },
    { state: 'failed' },
  ]);
});
