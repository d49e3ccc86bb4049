import { sql } from 'drizzle-orm';
import { orders } from '../../drizzle/schema.ts';
import type { Db, Tx } from '../db/client.ts';
import { skipTraceWorkflowId } from '../domain/workflow-id.ts';
import { requireOrderMove } from '../orders/order-move.ts';
import { enqueue } from '../relay/enqueue.ts';
import { inBatch, lockBatch, summariseBatch, type BatchSummary, type WhichBatch } from './batch.ts';
import { requireContactsPlan } from './require-contacts-plan.ts';

/**
 * Pays for a batch of skip traces, QUEUED → PAID, and has its workflow started, in one transaction.
 * All of its orders or none: a `conflict` when any of them is not QUEUED (spec §3.2), and
 * `upgrade_required` when the plan carries no contacts (any more).
 */
export async function payOrders({ db }: { db: Db }, which: WhichBatch): Promise<BatchSummary> {
  return db.transaction(async (tx) => {
    await requireContactsPlan(tx, which.accountId);
    await payBatch(tx, which);
    return summariseBatch(tx, which);
  });
}

/** The same as a part of a transaction in which the plan has been looked at. */
export async function payBatch(tx: Tx, which: WhichBatch): Promise<void> {
  const { accountId, batchId } = which;
  for (const { status } of await lockBatch(tx, which)) requireOrderMove(status, 'PAID');
  await tx
    .update(orders)
    .set({ status: 'PAID', paidAt: sql`clock_timestamp()` })
    .where(inBatch(which));
  const key = skipTraceWorkflowId(batchId);
  await enqueue(tx, [{ key, task: 'skip_trace', accountId, subjectId: batchId }]);
}
