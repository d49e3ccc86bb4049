import { and, eq, sql } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import { conflict, type AppError } from '../errors.ts';
import { enqueueHealth } from '../health/enqueue-health.ts';
import { auditEndpoint, changeEndpoint, endUnderWay, HEALTH_CHANGED } from './change-endpoint.ts';
import {
  liveEndpoint,
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
    await endUnderWay(tx, which, 'endpoint_paused');
    const active = and(liveEndpoint(which), eq(endpoints.state, 'active'));
    const endpoint = await changeEndpoint(tx, active, {
      state: 'paused',
      pauseReason: 'manual',
      pausedAt: sql`clock_timestamp()`,
      ...HEALTH_CHANGED,
    });
    if (!endpoint) {
      // Somebody else, or the service itself, came first.
      await requireEndpoint(tx, which);
      throw alreadyPaused();
    }
    await auditEndpoint(tx, actor, 'endpoint.paused', which);
    await enqueueHealth(tx, which);
    return endpoint;
  });
}

function alreadyPaused(): AppError {
  return conflict('The endpoint is paused already.');
}
