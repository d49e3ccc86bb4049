import { isGrpcServiceError } from '@temporalio/client';
import type { Db } from '../db/client.ts';
import { errorMessage } from '../errors.ts';
import type { ClaimedEvent } from './claim-events.ts';
import { releaseEvents } from './settle-events.ts';

/** gRPC's codes for "Temporal does not answer now": it is not this event's fault. */
const TEMPORAL_AWAY = new Set([1, 4, 8, 14]); // cancelled, deadline, exhausted, unavailable

const AWAY_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;

/**
 * Puts an event back whose workflow could not be started: soon when Temporal is away, so that
 * nothing lags behind its return; after growing waits when it refuses this one event.
 */
export async function releaseFailed(db: Db, event: ClaimedEvent, error: unknown): Promise<void> {
  const waitMs = isAway(error)
    ? AWAY_WAIT_MS
    : Math.min(AWAY_WAIT_MS * 2 ** Math.min(event.tries, 12), LONGEST_WAIT_MS);
  await releaseEvents(db, [event.eventId], waitMs, errorMessage(error));
}

function isAway(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return isGrpcServiceError(cause) && TEMPORAL_AWAY.has(cause.code);
}
