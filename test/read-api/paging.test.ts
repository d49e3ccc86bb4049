import { afterAll, beforeAll, expect, it } from 'vitest';
import { deals, orders } from '../../drizzle/schema.ts';
import { createList } from '../../src/lists/create-list.ts';
import { newId } from '../../src/ids.ts';
import { seededRandom } from '../support/random.ts';
import { startContract, type Caller, type Contract, type Json } from './contract.ts';
import { insertParcels, numbered } from './data.ts';

/*
 * Pages of random size put together are the whole, without gaps and repeats, though many rows are
 * equal in what they are ordered by (spec §§4.3 to 4.5).
 */
const COUNT = 230;

let contract: Contract;
let caller: Caller;
let list: string;
const random = seededRandom();
/** Few different moments. */
const moment = () => `2026-02-03T04:05:06.00000${random.integer(4)}Z`;
const times = <T>(make: (i: number) => T) => Array.from({ length: COUNT }, (_, i) => make(i));

beforeAll(async () => {
  contract = await startContract();
  caller = await contract.newCaller();
  const { db } = contract.records;
  const { accountId } = caller;
  const parcelIds = await insertParcels(
    db,
    numbered('elm', COUNT, () => ({ score: 60 + random.integer(3) })),
  );
  list = (await createList(db, { accountId, name: 'L', parcelIds })).id;
  const parcel = () => random.pick(parcelIds);
  await db.insert(deals).values(
    times(() => ({
      ...{ id: newId('deal'), accountId, parcelId: parcel(), status: 'NEW' as const },
      lastActivityAt: moment(),
    })),
  );
  await db.insert(orders).values(
    times(() => ({
      ...{
        id: newId('order'),
        accountId,
        parcelId: parcel(),
        batchId: newId('batch'),
        priceCents: 1,
      },
      ...{ service: 'SKIP_TRACE' as const, status: 'QUEUED' as const, createdAt: moment() },
    })),
  );
});
afterAll(() => contract.close());

/**
 * Writes some rows away and back, so that they lie elsewhere in table and index: what is equal in the
 * order must not depend on where it lies.
 */
async function moveAbout(rows: string): Promise<void> {
  const { sql } = contract.records.database;
  const [table = '', column = '', more = ''] = {
    leads: ['parcels', 'score', '1'],
    deals: ['deals', 'last_activity_at', "interval '1 s'"],
    orders: ['orders', 'created_at', "interval '1 s'"],
  }[rows]!;
  await sql.begin(async (tx) => {
    await tx.unsafe('create temporary table moving (id text) on commit drop');
    const [start, step] = [random.integer(7), 2 + random.integer(5)];
    await tx`insert into moving select id from (
        select id, row_number() over (order by id) as n from ${tx(table)} where id not like 'maple:%'
      ) as numbered where n % ${step} = ${start % step}`;
    for (const sign of ['+', '-']) {
      await tx.unsafe(`update ${table} set ${column} = ${column} ${sign} ${more}
        where id in (select id from moving)`);
    }
  });
}

/** Every row of a route, read in pages of random size. */
async function readAll(route: string, rows: string, id: string): Promise<Json[]> {
  const whole: Json[] = [];
  for (let offset = 0; ;) {
    const limit = 1 + random.integer(100);
    const join = route.includes('?') ? '&' : '?';
    const page = await caller.ok(`${route}${join}limit=${limit}&offset=${offset}`);
    expect(page, random.description).toMatchObject({ total: COUNT, limit, offset });
    const got = page[rows] as Json[];
    expect(got.length, random.description).toBe(Math.min(limit, Math.max(0, COUNT - offset)));
    whole.push(...got);
    await moveAbout(rows);
    offset += limit;
    if (offset >= COUNT) break;
  }
  expect(new Set(whole.map((row) => row[id])).size, random.description).toBe(COUNT);
  return whole;
}

it.each([
  ['leads', 'parcel_id', 'score'],
  ['deals', 'deal_id', 'last_activity_at'],
  ['orders', 'order_id', 'created_at'],
])('/v1/%s', async (rows, id, by) => {
  const route = rows === 'leads' ? `/v1/leads?list_id=${list}` : `/v1/${rows}`;
  const once = await readAll(route, rows, id);
  const keys = once.map((row) => row[by] as string | number);
  const sorted = keys.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  expect(keys, random.description).toEqual(sorted);
  expect(new Set(keys).size).toBeLessThan(5);
  for (let i = 0; i < 4; i += 1) {
    expect(await readAll(route, rows, id), random.description).toEqual(once);
  }
});
