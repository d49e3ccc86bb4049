import type { Db } from '../db/client.ts';
import { errorMessage } from '../errors.ts';
import type { ClaimedTask } from './claim-tasks.ts';
import { releaseTask } from './settle-tasks.ts';
import { startErrorKind } from './start-error.ts';

const SHORT_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;

/**
 * Puts a task back that Temporal could not be told: soon when Temporal is away, so that nothing
 * lags behind its return; after growing waits when it refuses this one task.
 */
export async function releaseFailed(db: Db, task: ClaimedTask, error: unknown): Promise<void> {
  const waitMs =
    startErrorKind(error) === 'refused'
      ? Math.min(SHORT_WAIT_MS * 2 ** Math.min(task.tries, 12), LONGEST_WAIT_MS)
      : SHORT_WAIT_MS;
  await releaseTask(db, task, waitMs, reasonOf(error));
}

/** The SDK's own errors only name the call; the server's reason is in their cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined
    ? errorMessage(error)
    : `${errorMessage(error)}: ${errorMessage(cause)}`;
}
