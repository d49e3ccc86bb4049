import { and, inArray } from 'drizzle-orm';
import { orders } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { isOpenOrder } from '../domain/order-status.ts';
import { requireOrderMove } from '../orders/order-move.ts';
import { inBatch, lockBatch, summariseBatch, type BatchSummary, type WhichBatch } from './batch.ts';

/**
 * Cancels what of a batch is neither fulfilled nor cancelled yet. What was fulfilled stays so. A
 * `conflict` when nothing is left to cancel. A trace that is under way then ends without an effect.
 */
export async function cancelOrders({ db }: { db: Db }, which: WhichBatch): Promise<BatchSummary> {
  return db.transaction(async (tx) => {
    const all = await lockBatch(tx, which);
    const open = all.filter(({ status }) => isOpenOrder(status));
    if (open.length === 0 && all[0]) requireOrderMove(all[0].status, 'CANCELLED');
    await tx
      .update(orders)
      .set({ status: 'CANCELLED' })
      .where(and(inBatch(which), inArray(orders.status, ['QUEUED', 'PAID'])));
    return summariseBatch(tx, which);
  });
}
