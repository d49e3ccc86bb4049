import { sql } from 'drizzle-orm';
import { apiKeys } from '../../drizzle/schema.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { generateKey, hashKey, keyHint } from '../../src/api-keys/key-text.ts';
import type { Db } from '../../src/db/client.ts';
import { createFarm } from '../../src/farms/create-farm.ts';
import { newId } from '../../src/ids.ts';
import { CANDIDATE_CAP } from '../../src/leads/lead-source.ts';
import { addLeads } from '../../src/lists/change-leads.ts';
import { createList } from '../../src/lists/create-list.ts';
import { createSearch } from '../../src/searches/create-search.ts';
import { countyCorner, countyName } from './fill-parcels.ts';

/** What the benchmark's customer has: sources with more candidates than are taken, deals and keys. */
export interface ReadApiWorld {
  accountId: string;
  listId: string;
  farmId: string;
  searchId: string;
  keys: string[];
}

const DEALS = 5_000;

/** More than the requests of the longest measurement need at 120 a minute each. */
const KEYS = 2_000;

/** Makes the customer, in a table of parcels that is there. */
export async function createWorld(db: Db): Promise<ReadApiWorld> {
  const { id: accountId } = await createAccount(db, { email: 'a@example.com', plan: 'elite' });
  const scattered = await db.execute<{ id: string }>(sql`
    select id from parcels where county = ${countyName(0)} order by md5(id) limit ${CANDIDATE_CAP}`);
  const { id: listId } = await createList(db, { accountId, name: 'Scattered' });
  await addLeads(db, { accountId, listId, parcelIds: scattered.map(({ id }) => id) });
  const farm = await createFarm(db, { accountId, name: 'A corner', corners: await corners(db) });
  const search = await createSearch(db, {
    ...{ accountId, name: 'Vacant or in arrears' },
    criteria: { counties: [countyName(2)], lead_types: ['vacant', 'tax-delinquent'] },
  });
  await createDeals(db, accountId);
  await buyContacts(db, accountId, listId);
  const keys = await createKeys(db, accountId);
  await db.execute(sql`analyze`);
  return { accountId, listId, farmId: farm.id, searchId: search.id, keys };
}

/** A square that holds a few more parcels than are taken from a source. */
async function corners(db: Db) {
  const { lng, lat } = countyCorner(1);
  const [row] = await db.execute<{ side: number }>(sql`
    select max(side) as side from (
      select greatest(location[0] - ${lng}::float8, location[1] - ${lat}::float8) as side
      from parcels where county = ${countyName(1)} order by side limit ${CANDIDATE_CAP + 50}
    ) as nearest`);
  const side = Number(row?.side);
  return [
    { lng, lat },
    { lng: lng + side, lat },
    { lng: lng + side, lat: lat + side },
    { lng, lat: lat + side },
  ];
}

async function createDeals(db: Db, accountId: string): Promise<void> {
  await db.execute(sql`
    insert into deals (id, account_id, parcel_id, status, last_activity_at)
    select 'deal_' || md5(id), ${accountId}, id, 'CONTACTED', now() - n * interval '1 minute'
    from (select id, row_number() over () as n from parcels limit ${DEALS}) as parcel`);
}

/** Every second lead of the list has been traced. */
async function buyContacts(db: Db, accountId: string, listId: string): Promise<void> {
  const contacts = {
    phone_details: [
      ...['mobile', 'landline'].map((type, i) => ({
        ...{ number: `+1713555010${i}`, type, dnc: false, dnc_status: 'clear', carrier: null },
      })),
    ],
    ...{ emails: ['owner@example.com'], dnc_screened: true, litigator: false },
    traced_at: '2026-02-03T04:05:06.000007Z',
  };
  await db.execute(sql`
    insert into orders (id, account_id, batch_id, list_id, list_name, service, status, price_cents,
                        parcel_id, contacts, fulfilled_at)
    select 'ord_' || md5(parcel_id), ${accountId}, 'batch_bench', ${listId}, 'Scattered',
           'SKIP_TRACE', 'FULFILLED', 12, parcel_id, ${JSON.stringify(contacts)}::jsonb, now()
    from list_leads where list_id = ${listId} and hashtext(parcel_id) % 2 = 0`);
}

/** Past the limit on keys of one account, which people are to keep and a benchmark is not. */
async function createKeys(db: Db, accountId: string): Promise<string[]> {
  const keys = Array.from({ length: KEYS }, generateKey);
  const rows = keys.map((key, i) => ({
    ...{ id: newId('apiKey'), accountId, name: `bench ${i}` },
    ...{ hash: hashKey(key), hint: keyHint(key) },
  }));
  await db.insert(apiKeys).values(rows);
  return keys;
}
