import { sql } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { endUnfinished } from '../deliveries/end-unfinished.ts';
import { conflict } from '../errors.ts';
import { enqueueHealth } from '../health/enqueue-health.ts';
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
 * was skipped can be replayed after a resume. One that is paused already is a `conflict`.
 */
export async function pauseEndpoint(
  { db, actor }: EndpointContext,
  which: WhichEndpoint,
): Promise<Endpoint> {
  return db.transaction(async (tx) => {
    const { state } = await requireEndpoint(tx, which);
    if (state === 'paused') throw conflict('The endpoint is paused already.');
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
      .where(liveEndpoint(which))
      .returning(endpointColumns);
    const endpoint = requireChanged(rows);
    await recordAudit(tx, { actor, action: 'endpoint.paused', ...subjectOf(which) });
    await enqueueHealth(tx, which);
    return endpoint;
  });
}

function subjectOf({ accountId, endpointId }: WhichEndpoint) {
  return { accountId, subjectId: endpointId };
}
