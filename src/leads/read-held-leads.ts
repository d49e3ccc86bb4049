import { asc, desc, eq, sql } from 'drizzle-orm';
import { heldLeads, parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import type { HeldVia } from '../domain/held-via.ts';

/** The leads that an account holds, the highest scores first, each with the ways in which it does. */
export async function readHeldLeads(db: Db, accountId: string, { limit }: { limit: number }) {
  return db
    .select({
      parcelId: parcels.id,
      address: parcels.address,
      score: parcels.score,
      via: sql<HeldVia[]>`array_agg(${heldLeads.via} order by ${heldLeads.via})`,
    })
    .from(heldLeads)
    .innerJoin(parcels, eq(parcels.id, heldLeads.parcelId))
    .where(eq(heldLeads.accountId, accountId))
    .groupBy(parcels.id)
    .orderBy(desc(parcels.score), asc(parcels.id))
    .limit(limit);
}
