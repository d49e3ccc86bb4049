import type { parcels } from '../../drizzle/schema.ts';

/** A parcel's place, the same fields wherever a parcel is spoken of (spec §2.2). */
export function parcelData(parcel: typeof parcels.$inferSelect) {
  const { id, county, accountNum, address, city, zip } = parcel;
  return { parcel_id: id, county, account_num: accountNum, address, city, zip };
}
