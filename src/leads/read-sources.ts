import { asc, eq, sql } from 'drizzle-orm';
import { farms, listLeads, lists, parcels, searches } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { describeCriteria, parseCriteria } from '../searches/criteria.ts';

/*
 * What leads can be read through (spec §2.9), oldest first. Farms and searches are not counted ahead:
 * they are looked at anew each time.
 */

export async function readLists(db: Db, accountId: string) {
  return db
    .select({
      id: lists.id,
      name: lists.name,
      status: lists.status,
      leads: sql<number>`(select count(*)::int from ${listLeads} where ${listLeads.listId} = ${lists.id})`,
      updated_at: lists.updatedAt,
    })
    .from(lists)
    .where(eq(lists.accountId, accountId))
    .orderBy(asc(lists.createdAt), asc(lists.id));
}

export async function readFarms(db: Db, accountId: string) {
  return db
    .select({
      id: farms.id,
      name: farms.name,
      parcels: sql<number>`(select count(*)::int from ${parcels} where ${parcels.location} <@ ${farms.area})`,
      alerts_enabled: farms.alertsEnabled,
      updated_at: farms.updatedAt,
    })
    .from(farms)
    .where(eq(farms.accountId, accountId))
    .orderBy(asc(farms.createdAt), asc(farms.id));
}

export async function readSearches(db: Db, accountId: string) {
  const rows = await db
    .select()
    .from(searches)
    .where(eq(searches.accountId, accountId))
    .orderBy(asc(searches.createdAt), asc(searches.id));
  return rows.map(({ id, name, criteria, updatedAt }) => {
    const understood = parseCriteria(criteria);
    const label = understood ? describeCriteria(understood) : 'No longer understood; save it again';
    return { id, name, label, updated_at: updatedAt };
  });
}
