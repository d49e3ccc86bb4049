import { z } from 'zod';
import type { Db, Tx } from '../db/client.ts';
import { newId } from '../ids.ts';
import { parseInput } from '../input.ts';
import { leadsOfList, type ListWithLeads } from '../lists/leads-of-list.ts';
import { insertOrders } from '../orders/insert-orders.ts';
import { MOST_ORDERS } from '../orders/order.ts';
import { requireParcels } from '../parcels/require-parcels.ts';
import { summariseBatch, type BatchSummary } from './batch.ts';
import { payBatch } from './pay-orders.ts';
import { requireContactsPlan } from './require-contacts-plan.ts';

/** Which leads: named one by one, or those of a list. */
export type SkipTraceWish =
  { accountId: string; parcelIds: readonly string[] } | { accountId: string; listId: string };

const named = z.strictObject({
  parcels: z
    .array(z.string())
    .min(1, 'must name at least one')
    .max(MOST_ORDERS, `must be at most ${MOST_ORDERS}`),
});

/**
 * Orders skip traces: one order for each lead, QUEUED, all of one batch (spec §§2.7, 6.1). A lead that
 * is named twice is ordered once. `pay` pays for them in the same transaction.
 *
 * `upgrade_required` for a plan without contacts; a `bad_request` for a parcel that does not exist,
 * for none or too many of them, and for a list that is empty or too long. Then nothing is ordered.
 */
export async function orderSkipTrace(
  { db }: { db: Db },
  wish: SkipTraceWish,
  { pay = false }: { pay?: boolean } = {},
): Promise<BatchSummary> {
  const { accountId } = wish;
  const which = { accountId, batchId: newId('batch') };
  return db.transaction(async (tx) => {
    await requireContactsPlan(tx, accountId);
    const { list, parcelIds } = await leadsOf(tx, wish);
    await insertOrders(tx, { ...which, service: 'SKIP_TRACE', list }, parcelIds);
    if (pay) await payBatch(tx, which);
    return summariseBatch(tx, which);
  });
}

async function leadsOf(
  tx: Tx,
  wish: SkipTraceWish,
): Promise<{ list?: ListWithLeads; parcelIds: string[] }> {
  if ('listId' in wish) {
    const list = await leadsOfList(tx, wish, MOST_ORDERS);
    return { list, parcelIds: list.parcelIds };
  }
  const { parcels } = parseInput(named, { parcels: [...new Set(wish.parcelIds)] });
  await requireParcels(tx, parcels);
  return { parcelIds: parcels };
}
