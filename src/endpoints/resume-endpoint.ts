import { and, eq } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import { conflict } from '../errors.ts';
import { enqueueHealth } from '../health/enqueue-health.ts';
import { countWaiting } from '../redelivery/count-waiting.ts';
import { auditEndpoint, changeEndpoint, FRESH_START } from './change-endpoint.ts';
import {
  liveEndpoint,
  type Endpoint,
  type EndpointContext,
  type WhichEndpoint,
} from './endpoint.ts';
import { requireEndpoint } from './read-endpoints.ts';

/**
 * Lets a paused endpoint receive events again, with a clean record: attempts from before say
 * nothing about its health from now on. Answers how many deliveries wait to be replayed: those that
 * failed, and those that were skipped while it was paused. One that is not paused is a `conflict`.
 */
export async function resumeEndpoint(
  { db, actor }: EndpointContext,
  which: WhichEndpoint,
): Promise<Endpoint & { waiting: number }> {
  return db.transaction(async (tx) => {
    const paused = and(liveEndpoint(which), eq(endpoints.state, 'paused'));
    const endpoint = await changeEndpoint(tx, paused, {
      state: 'active',
      pauseReason: null,
      pausedAt: null,
      ...FRESH_START,
    });
    if (!endpoint) {
      await requireEndpoint(tx, which);
      throw conflict('The endpoint is not paused.');
    }
    const waiting = await countWaiting(tx, which.endpointId);
    await auditEndpoint(tx, actor, 'endpoint.resumed', which, { waiting });
    await enqueueHealth(tx, which);
    return { ...endpoint, waiting };
  });
}
