import type { Db } from '../../src/db/client.ts';
import { parseParcelFields, type ParcelFields } from '../../src/parcels/parcel-fields.ts';
import { upsertParcels } from '../../src/parcels/upsert-parcels.ts';

/** The day so many years before today, or before another day. */
export function yearsAgo(years: number, from = new Date().toISOString().slice(0, 10)): string {
  const days = Math.round(years * 365.2425);
  return new Date(Date.parse(from) - days * 86_400_000).toISOString().slice(0, 10);
}

/** Stores parcels as they would be had they been imported so many years ago; answers their ids. */
export async function importAgo(
  db: Db,
  years: number,
  parcels: (Partial<ParcelFields> & { county: string; account_num: string })[],
): Promise<string[]> {
  const fields = parcels.map((parcel) =>
    parseParcelFields({
      ...{ address: `${parcel.account_num} Elm St, Millbrook, TX 75010` },
      ...{ city: 'Millbrook', zip: '75010', ...parcel },
    }),
  );
  const rows = await db.transaction((tx) => upsertParcels(tx, fields, yearsAgo(years)));
  return rows.map(({ id }) => id);
}

/** The same for one parcel. */
export async function saveAgo(
  db: Db,
  years: number,
  parcel: Parameters<typeof importAgo>[2][number],
): Promise<string> {
  const [id] = await importAgo(db, years, [parcel]);
  return id!;
}

/** Signals that came to 75 a year ago and come to 85 today, because the owner turns 65 this year. */
export function becameHot(): Partial<ParcelFields> {
  return {
    ...{ tax_delinquent_years: 4, vacant: true, free_and_clear: true },
    ...{ owner_occupied: false, mailing_state: 'TX', owned_since: yearsAgo(17.5) },
    ...{ owner_birth_year: Number(yearsAgo(0).slice(0, 4)) - 65 },
  };
}
