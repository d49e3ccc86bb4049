import { and, desc, eq } from 'drizzle-orm';
import { deals, parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import type { DealStatus } from '../domain/deal-status.ts';

/** An account's deals with their parcels, all or those at one stage, newest activity first. */
export async function listDeals(
  db: Db,
  accountId: string,
  { status, limit }: { status?: DealStatus | undefined; limit: number },
) {
  return db
    .select({ deal: deals, parcel: parcels })
    .from(deals)
    .innerJoin(parcels, eq(parcels.id, deals.parcelId))
    .where(and(eq(deals.accountId, accountId), status && eq(deals.status, status)))
    .orderBy(desc(deals.lastActivityAt), desc(deals.id))
    .limit(limit);
}
