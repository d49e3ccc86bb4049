import { and, eq } from 'drizzle-orm';
import { deals, parcels } from '../../drizzle/schema.ts';
import type { Tx } from '../db/client.ts';
import { notFound } from '../errors.ts';

/** A deal of the account with its parcel, for this transaction to change alone; or `not_found`. */
export async function lockDeal(
  tx: Tx,
  { accountId, dealId }: { accountId: string; dealId: string },
) {
  const [row] = await tx
    .select({ deal: deals, parcel: parcels })
    .from(deals)
    .innerJoin(parcels, eq(parcels.id, deals.parcelId))
    .where(and(eq(deals.accountId, accountId), eq(deals.id, dealId)))
    .for('update', { of: deals });
  if (!row) throw notFound('deal');
  return row;
}
