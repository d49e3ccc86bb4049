import { sql, type SQL } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { endpoints } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import type { Db, Tx } from '../db/client.ts';
import { endUnfinished } from '../deliveries/end-unfinished.ts';
import type { AuditAction } from '../domain/audit-action.ts';
import type { SkipReason } from '../domain/delivery.ts';
import { stopReplayOf } from '../redelivery/stop-replay.ts';
import { endpointColumns, type Endpoint, type WhichEndpoint } from './endpoint.ts';

/*
 * What the verbs that change an endpoint have in common. They lock in one order, which is that in
 * which attempts and replays lock: the replay, its deliveries by id, then the endpoint's row.
 */

/** What the health workflow goes by has changed; `enqueueHealth` has it told. */
export const HEALTH_CHANGED = { healthVersion: sql`${endpoints.healthVersion} + 1` };

/** An episode of failures is over, and attempts from before say nothing any more. */
export const FRESH_START = {
  ...HEALTH_CHANGED,
  failingSince: null,
  healthEra: sql`${endpoints.healthEra} + 1`,
};

/** Sets these columns of the selected endpoint; undefined when none is selected. */
export async function changeEndpoint(
  tx: Tx,
  selected: SQL | undefined,
  columns: PgUpdateSetSource<typeof endpoints>,
): Promise<Endpoint | undefined> {
  const [endpoint] = await tx
    .update(endpoints)
    .set({ ...columns, updatedAt: sql`now()` })
    .where(selected)
    .returning(endpointColumns);
  return endpoint;
}

/** Ends what is under way to an endpoint as skipped, its replay first: before its row is changed. */
export async function endUnderWay(tx: Tx, which: WhichEndpoint, reason: SkipReason): Promise<void> {
  await stopReplayOf(tx, which);
  await endUnfinished(tx, which, reason);
}

/** Writes down who did what to an endpoint. */
export async function auditEndpoint(
  db: Db,
  actor: string,
  action: AuditAction,
  { accountId, endpointId }: WhichEndpoint,
  details?: Record<string, unknown>,
): Promise<void> {
  const entry = { actor, action, accountId, subjectId: endpointId };
  await recordAudit(db, { ...entry, ...(details && { details }) });
}
