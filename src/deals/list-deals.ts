import { desc, eq } from 'drizzle-orm';
import { deals, parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';

/** An account's deals with their parcels, newest activity first. */
export async function listDeals(db: Db, accountId: string, limit: number) {
  return db
    .select({ deal: deals, parcel: parcels })
    .from(deals)
    .innerJoin(parcels, eq(parcels.id, deals.parcelId))
    .where(eq(deals.accountId, accountId))
    .orderBy(desc(deals.lastActivityAt), desc(deals.id))
    .limit(limit);
}
