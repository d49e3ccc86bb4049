import type { Db } from '../db/client.ts';
import { errorMessage } from '../errors.ts';
import type { ClaimedEvent } from './claim-events.ts';
import { releaseEvents } from './settle-events.ts';
import { startErrorKind } from './start-error.ts';

const SHORT_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;

/**
 * Puts an event back whose workflow could not be started: soon when Temporal is away, so that
 * nothing lags behind its return; after growing waits when it refuses this one event.
 */
export async function releaseFailed(db: Db, event: ClaimedEvent, error: unknown): Promise<void> {
  const waitMs =
    startErrorKind(error) === 'refused'
      ? Math.min(SHORT_WAIT_MS * 2 ** Math.min(event.tries, 12), LONGEST_WAIT_MS)
      : SHORT_WAIT_MS;
  await releaseEvents(db, [event.eventId], waitMs, errorMessage(error));
}
