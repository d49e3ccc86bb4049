import { asc } from 'drizzle-orm';
import { z } from 'zod';
import { parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { parseInput } from '../input.ts';

const text = (most: number) => z.string().trim().min(1, 'must not be empty').max(most);

const newParcel = z.strictObject({
  county: z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be lower-case letters, digits and hyphens'),
  account_num: z.string().regex(/^[A-Za-z0-9.-]{1,40}$/, 'must be letters, digits, dots, hyphens'),
  address: text(300),
  city: text(100),
  zip: z.string().regex(/^\d{5}(-\d{4})?$/, 'must be a ZIP code, 77018 or 77018-1234'),
});

export interface Parcel {
  id: string;
  county: string;
  accountNum: string;
  address: string;
  city: string;
  zip: string;
}

/** Adds a parcel, or brings its address up to date. Fields at fault are named. */
export async function saveParcel(db: Db, input: unknown): Promise<Parcel> {
  const { account_num: accountNum, ...fields } = parseInput(newParcel, input);
  const { address, city, zip } = fields;
  const [parcel] = await db
    .insert(parcels)
    .values({ id: `${fields.county}:${accountNum}`, accountNum, ...fields })
    .onConflictDoUpdate({ target: parcels.id, set: { address, city, zip } })
    .returning();
  if (!parcel) throw new Error('upsert returned no row');
  return parcel;
}

/** The first parcels by id. */
export async function listParcels(db: Db, limit: number): Promise<Parcel[]> {
  return db.select().from(parcels).orderBy(asc(parcels.id)).limit(limit);
}
