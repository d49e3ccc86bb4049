import { and, eq, sql } from 'drizzle-orm';
import { listLeads, lists } from '../../drizzle/schema.ts';
import type { Db, Tx } from '../db/client.ts';
import { badRequest } from '../errors.ts';
import { requireParcels } from '../parcels/require-parcels.ts';
import { lockList } from './lock-list.ts';

/** Which leads of which list. */
export interface LeadsOfList {
  accountId: string;
  listId: string;
  parcelIds: readonly string[];
}

/** The most leads that one call may add or remove. */
export const MOST_LEADS = 50_000;

/**
 * Puts parcels on a list; those that are on it already stay. Answers how many came to it. All of
 * them or none: a parcel that does not exist is a `bad_request` that names it.
 */
export async function addLeads(db: Db, { parcelIds, ...which }: LeadsOfList): Promise<number> {
  refuseTooMany(parcelIds);
  return db.transaction(async (tx) => {
    await lockList(tx, which);
    await requireParcels(tx, parcelIds);
    const added = await tx.execute(sql`
      insert into list_leads (account_id, list_id, parcel_id)
      select ${which.accountId}, ${which.listId}, id
      from unnest(${sql.param(parcelIds)}::text[]) as parcel (id)
      on conflict do nothing`);
    if (added.count > 0) await touch(tx, which.listId);
    return added.count;
  });
}

/** Takes parcels off a list; answers how many were on it. */
export async function removeLeads(db: Db, { parcelIds, ...which }: LeadsOfList): Promise<number> {
  refuseTooMany(parcelIds);
  return db.transaction(async (tx) => {
    await lockList(tx, which);
    const removed = await tx
      .delete(listLeads)
      .where(
        and(
          eq(listLeads.listId, which.listId),
          sql`${listLeads.parcelId} = any (${sql.param(parcelIds)}::text[])`,
        ),
      );
    if (removed.count > 0) await touch(tx, which.listId);
    return removed.count;
  });
}

function refuseTooMany(parcelIds: readonly string[]): void {
  if (parcelIds.length > 0 && parcelIds.length <= MOST_LEADS) return;
  throw badRequest('parcels', `parcels: must be from 1 to ${MOST_LEADS}.`);
}

async function touch(tx: Tx, listId: string): Promise<void> {
  await tx
    .update(lists)
    .set({ updatedAt: sql`clock_timestamp()` })
    .where(eq(lists.id, listId));
}
