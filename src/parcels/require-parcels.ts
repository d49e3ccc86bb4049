import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { badRequest } from '../errors.ts';

/** How many unknown parcels are named; the others are only counted. */
const NAMED = 5;

/** Refuses ids of parcels that do not exist, as a `bad_request` that names the first ones. */
export async function requireParcels(db: Db, parcelIds: readonly string[]): Promise<void> {
  const unknown = await db.execute<{ id: string }>(sql`
    select distinct wanted.id from unnest(${sql.param(parcelIds)}::text[]) as wanted (id)
    where not exists (select from parcels where parcels.id = wanted.id) order by wanted.id`);
  if (unknown.length === 0) return;
  const named = unknown.slice(0, NAMED).map(({ id }) => id);
  const more = unknown.length > NAMED ? ` and ${unknown.length - NAMED} more` : '';
  throw badRequest('parcels', `parcels: there is no parcel ${named.join(', ')}${more}.`);
}
