import { and, eq, sql } from 'drizzle-orm';
import { deals, parcels } from '../../drizzle/schema.ts';
import type { Tx } from '../db/client.ts';
import { notFound } from '../errors.ts';

/** When a locked deal is changed: one moment for all its columns, and later than the lock. */
export const MOMENT_OF_CHANGE = sql<string>`statement_timestamp()`;

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
