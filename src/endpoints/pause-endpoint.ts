import { and, eq, sql } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { endUnfinished } from '../deliveries/end-unfinished.ts';
import { conflict, type AppError } from '../errors.ts';
import { enqueueHealth } from '../health/enqueue-health.ts';
import { stopReplayOf } from '../redelivery/stop-replay.ts';
import {
  endpointColumns,
  liveEndpoint,
  requireChanged,
  type Endpoint,
  type EndpointContext,
  type WhichEndpoint,
} from './endpoint.ts';
import { requireEndpoint } from './read-endpoints.ts';

/**
 * Pauses an endpoint by hand. Deliveries under way end as skipped, as do events from then on; what
 * was skipped can be replayed after a resume. A replay is stopped. One that is paused already is a
 * `conflict`.
 */
export async function pauseEndpoint(
  { db, actor }: EndpointContext,
  which: WhichEndpoint,
): Promise<Endpoint> {
  return db.transaction(async (tx) => {
    const { state } = await requireEndpoint(tx, which);
    if (state === 'paused') throw alreadyPaused();
    await stopReplayOf(tx, which);
    // Before the endpoint's own row: the order in which recordAttempt locks them.
    await endUnfinished(tx, which, 'endpoint_paused');
    const rows = await tx
      .update(endpoints)
      .set({
        state: 'paused',
        pauseReason: 'manual',
        pausedAt: sql`clock_timestamp()`,
        healthVersion: sql`${endpoints.healthVersion} + 1`,
        updatedAt: sql`now()`,
      })
      .where(and(liveEndpoint(which), eq(endpoints.state, 'active')))
      .returning(endpointColumns);
    if (rows.length === 0) {
      // Somebody else, or the service itself, came first.
      await requireEndpoint(tx, which);
      throw alreadyPaused();
    }
    const endpoint = requireChanged(rows);
    await recordAudit(tx, { actor, action: 'endpoint.paused', ...subjectOf(which) });
    await enqueueHealth(tx, which);
    return endpoint;
  });
}

function alreadyPaused(): AppError {
  return conflict('The endpoint is paused already.');
}

function subjectOf({ accountId, endpointId }: WhichEndpoint) {
  return { accountId, subjectId: endpointId };
}
