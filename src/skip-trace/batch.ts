import { and, asc, eq } from 'drizzle-orm';
import { orders } from '../../drizzle/schema.ts';
import type { Db, Tx } from '../db/client.ts';
import type { OrderStatus } from '../domain/order-status.ts';
import { notFound } from '../errors.ts';

/** Which batch of skip traces. */
export interface WhichBatch {
  accountId: string;
  batchId: string;
}

/** How many orders of a batch are where, and what they cost together. */
export interface BatchSummary {
  batchId: string;
  orders: number;
  byStatus: Partial<Record<OrderStatus, number>>;
  /** Of those that are not cancelled, in whole cents. */
  priceCents: number;
}

/** Locks the orders of a batch, always in the same order; `not_found` when there is none such. */
export async function lockBatch(
  tx: Tx,
  which: WhichBatch,
): Promise<{ id: string; status: OrderStatus }[]> {
  const rows = await tx
    .select({ id: orders.id, status: orders.status })
    .from(orders)
    .where(inBatch(which))
    .orderBy(asc(orders.id))
    .for('update');
  if (rows.length === 0) throw notFound('batch of skip traces');
  return rows;
}

/** What a batch is like now. */
export async function summariseBatch(db: Db, which: WhichBatch): Promise<BatchSummary> {
  const rows = await db
    .select({ status: orders.status, priceCents: orders.priceCents })
    .from(orders)
    .where(inBatch(which));
  const byStatus: BatchSummary['byStatus'] = {};
  for (const { status } of rows) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const charged = rows.filter(({ status }) => status !== 'CANCELLED');
  const priceCents = charged.reduce((sum, row) => sum + row.priceCents, 0);
  return { batchId: which.batchId, orders: rows.length, byStatus, priceCents };
}

export function inBatch({ accountId, batchId }: WhichBatch) {
  return and(
    eq(orders.accountId, accountId),
    eq(orders.batchId, batchId),
    eq(orders.service, 'SKIP_TRACE'),
  );
}
