import { sql } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { endUnfinished } from '../deliveries/end-unfinished.ts';
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
 * Removes an endpoint for its account. Deliveries under way end as skipped; its log stays until it
 * is purged. The row is kept because deliveries point to it, but not its secrets.
 */
export async function deleteEndpoint(
  { db, actor }: EndpointContext,
  which: WhichEndpoint,
): Promise<Endpoint> {
  return db.transaction(async (tx) => {
    await requireEndpoint(tx, which);
    await stopReplayOf(tx, which);
    await endUnfinished(tx, which, 'endpoint_deleted');
    const rows = await tx
      .update(endpoints)
      .set({
        state: 'deleted',
        pauseReason: null,
        pausedAt: null,
        failingSince: null,
        sealedSecret: Buffer.alloc(0),
        sealedNextSecret: null,
        healthVersion: sql`${endpoints.healthVersion} + 1`,
        updatedAt: sql`now()`,
      })
      .where(liveEndpoint(which))
      .returning(endpointColumns);
    const endpoint = requireChanged(rows);
    const { accountId, endpointId } = which;
    await recordAudit(tx, { actor, action: 'endpoint.deleted', accountId, subjectId: endpointId });
    await enqueueHealth(tx, which);
    return endpoint;
  });
}
