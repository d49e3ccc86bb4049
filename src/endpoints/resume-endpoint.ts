import { and, eq, sql } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { conflict } from '../errors.ts';
import { enqueueHealth } from '../health/enqueue-health.ts';
import { countWaiting } from '../redelivery/count-waiting.ts';
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
 * Lets a paused endpoint receive events again, with a clean record: attempts from before say
 * nothing about its health from now on. Answers how many deliveries wait to be replayed: those that
 * failed, and those that were skipped while it was paused. One that is not paused is a `conflict`.
 */
export async function resumeEndpoint(
  { db, actor }: EndpointContext,
  which: WhichEndpoint,
): Promise<Endpoint & { waiting: number }> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .update(endpoints)
      .set({
        state: 'active',
        pauseReason: null,
        pausedAt: null,
        failingSince: null,
        healthVersion: sql`${endpoints.healthVersion} + 1`,
        healthEra: sql`${endpoints.healthEra} + 1`,
        updatedAt: sql`now()`,
      })
      .where(and(liveEndpoint(which), eq(endpoints.state, 'paused')))
      .returning(endpointColumns);
    if (rows.length === 0) {
      await requireEndpoint(tx, which);
      throw conflict('The endpoint is not paused.');
    }
    const { accountId, endpointId } = which;
    const waiting = await countWaiting(tx, endpointId);
    const about = { accountId, subjectId: endpointId, details: { waiting } };
    await recordAudit(tx, { actor, action: 'endpoint.resumed', ...about });
    await enqueueHealth(tx, which);
    return { ...requireChanged(rows), waiting };
  });
}
