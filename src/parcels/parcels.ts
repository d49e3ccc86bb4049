import { asc } from 'drizzle-orm';
import { parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { today, type ParcelRow } from './evaluate-parcel.ts';
import { parseParcelFields } from './parcel-fields.ts';
import { upsertParcels } from './upsert-parcels.ts';

/**
 * Adds a parcel, or brings it up to date: fields that are not given stay as they are, null makes
 * one unknown again. It is scored as of today. A fault is a `bad_request` that names the field.
 */
export async function saveParcel(db: Db, input: unknown): Promise<ParcelRow> {
  const fields = parseParcelFields(input);
  return db.transaction(async (tx) => {
    const [parcel] = await upsertParcels(tx, [fields], today());
    if (!parcel) throw new Error('upsert wrote no row');
    return parcel;
  });
}

/** The first parcels by id. */
export async function listParcels(db: Db, limit: number): Promise<ParcelRow[]> {
  return db.select().from(parcels).orderBy(asc(parcels.id)).limit(limit);
}
