import { and, asc, eq } from 'drizzle-orm';
import { parcels, watchedCounties } from '../../drizzle/schema.ts';
import { requireAccount } from '../accounts/accounts.ts';
import type { Db } from '../db/client.ts';
import { badRequest } from '../errors.ts';

/** A county and who watches it. */
export interface WatchedCounty {
  accountId: string;
  county: string;
}

/**
 * From now on the account hears of leads of this county that become hot (spec §6.1). A county
 * without parcels is a `bad_request`: its name is likely to be wrong.
 */
export async function watchCounty(db: Db, { accountId, county }: WatchedCounty): Promise<void> {
  await requireAccount(db, accountId);
  const [known] = await db
    .select({ id: parcels.id })
    .from(parcels)
    .where(eq(parcels.county, county))
    .limit(1);
  if (!known) throw badRequest('county', `county: there are no parcels of ${county}.`);
  await db.insert(watchedCounties).values({ accountId, county }).onConflictDoNothing();
}

/** The account watches the county no longer; answers whether it did. */
export async function unwatchCounty(
  db: Db,
  { accountId, county }: WatchedCounty,
): Promise<boolean> {
  const removed = await db
    .delete(watchedCounties)
    .where(and(eq(watchedCounties.accountId, accountId), eq(watchedCounties.county, county)));
  return removed.count > 0;
}

/** The counties that an account watches, by name. */
export async function readWatchedCounties(db: Db, accountId: string): Promise<string[]> {
  const watched = await db
    .select({ county: watchedCounties.county })
    .from(watchedCounties)
    .where(eq(watchedCounties.accountId, accountId))
    .orderBy(asc(watchedCounties.county));
  return watched.map(({ county }) => county);
}
