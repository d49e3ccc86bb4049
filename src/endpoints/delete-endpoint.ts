import { enqueueHealth } from '../health/enqueue-health.ts';
import { auditEndpoint, changeEndpoint, endUnderWay, HEALTH_CHANGED } from './change-endpoint.ts';
import {
  liveEndpoint,
  requireFound,
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
    await endUnderWay(tx, which, 'endpoint_deleted');
    const deleted = await changeEndpoint(tx, liveEndpoint(which), {
      state: 'deleted',
      pauseReason: null,
      pausedAt: null,
      failingSince: null,
      sealedSecret: Buffer.alloc(0),
      sealedNextSecret: null,
      ...HEALTH_CHANGED,
    });
    const endpoint = requireFound(deleted);
    await auditEndpoint(tx, actor, 'endpoint.deleted', which);
    await enqueueHealth(tx, which);
    return endpoint;
  });
}
