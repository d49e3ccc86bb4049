import { sql } from 'drizzle-orm';
import { orders } from '../../drizzle/schema.ts';
import type { LngLat } from '../../drizzle/columns.ts';
import type { Db } from '../../src/db/client.ts';
import { newId } from '../../src/ids.ts';
import type { Contacts } from '../../src/orders/contacts.ts';
import { saveParcel } from '../../src/parcels/parcels.ts';

export interface TestParcel {
  county: string;
  account_num: string;
  score: number;
  lead_types?: string[];
  city?: string;
  zip?: string;
  location?: LngLat;
}

/** Stores parcels with scores of the test's choice, in one statement; answers their ids. */
export async function insertParcels(db: Db, parcels: TestParcel[]): Promise<string[]> {
  const rows = parcels.map(({ location, ...parcel }) => ({
    ...{ lead_types: [], city: 'Millbrook', zip: '75010', ...parcel },
    id: `${parcel.county}:${parcel.account_num}`,
    address: `${parcel.account_num} Elm St`,
    location: location && `(${location.lng},${location.lat})`,
  }));
  await db.execute(sql`
    insert into parcels (id, county, account_num, address, city, zip, score, announced_score, lead_types, location)
    select id, county, account_num, address, city, zip, score, score, lead_types, location
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id text, county text, account_num text, address text, city text, zip text,
      score integer, lead_types text[], location point)`);
  return rows.map(({ id }) => id);
}

/** A parcel with this many parcels of a county before it: `<county>:00017`. */
export function numbered(
  county: string,
  count: number,
  parcel: (i: number) => Partial<TestParcel>,
) {
  return Array.from({ length: count }, (_, i) => ({
    ...{ county, account_num: String(i).padStart(5, '0'), score: 50 },
    ...parcel(i),
  }));
}

const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/**
 * A parcel with a signal of every plan: probate (35, elite), unpaid tax (20, pro) and an owner who
 * lives elsewhere (10, free), which is 65.
 */
export async function saveMixedParcel(db: Db, county: string, accountNum: string) {
  return saveParcel(db, {
    ...{ county, account_num: accountNum, address: '7 Birch Rd, Millbrook, TX 75010' },
    ...{ city: 'Millbrook', zip: '75010', lng: -96.5, lat: 33.5 },
    ...{ owner_name: 'Ada Bell', mailing_address: '4 Quay St, Austin, TX 78701' },
    ...{ mailing_state: 'TX', owner_occupied: false },
    ...{ probate_filed_on: daysAgo(30), tax_delinquent_years: 2 },
  });
}

export const CONTACTS: Contacts = {
  phone_details: [
    { number: '+17135550100', type: 'mobile', dnc: false, dnc_status: 'clear', carrier: null },
    { number: '+17135550101', type: 'landline', dnc: true, dnc_status: 'listed', carrier: 'Acme' },
    { number: '+17135550102', type: 'voip', dnc: false, dnc_status: 'unknown', carrier: null },
  ],
  emails: ['ada@example.com', 'bell@example.com'],
  ...{ dnc_screened: true, litigator: false, traced_at: '2026-02-03T04:05:06.000007Z' },
};

type NewOrder = Partial<typeof orders.$inferInsert> & { accountId: string; parcelId: string };

/** Stores an order as it stands, a queued skip trace unless told; answers its id. */
export async function insertOrder(db: Db, order: NewOrder): Promise<string> {
  const id = newId('order');
  await db.insert(orders).values({
    ...{ id, batchId: newId('batch'), service: 'SKIP_TRACE', status: 'QUEUED', priceCents: 12 },
    ...order,
  });
  return id;
}

/** Stores a fulfilled skip trace. */
export async function insertSkipTrace(
  db: Db,
  order: NewOrder & { fulfilledAt: string },
  contacts: Partial<Contacts> = {},
): Promise<string> {
  return insertOrder(db, {
    ...order,
    status: 'FULFILLED',
    contacts: { ...CONTACTS, ...contacts },
  });
}
