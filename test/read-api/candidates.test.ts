import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFarm } from '../../src/farms/create-farm.ts';
import { findSource } from '../../src/leads/lead-source.ts';
import { createList } from '../../src/lists/create-list.ts';
import { createSearch } from '../../src/searches/create-search.ts';
import { startContract, type Caller, type Contract } from './contract.ts';
import { insertParcels, numbered } from './data.ts';

/*
 * At most 5,000 parcels of a source are taken, those with the highest scores (spec §§4.3, 8). Two
 * counties with 5,100 parcels: the last 100 have the score 45, all others more.
 */
let contract: Contract;
let caller: Caller;
const ids: Record<string, string> = {};

interface Leads {
  source: { candidates: number; candidate_cap: number };
  leads: { parcel_id: string; score: number }[];
  total: number;
}

beforeAll(async () => {
  contract = await startContract();
  const { db } = contract.records;
  caller = await contract.newCaller();
  const { accountId } = caller;
  const location = { lng: -95, lat: 30 };
  const small = numbered('birch', 2_000, (i) => ({ score: 46 + (i % 40), location }));
  const large = numbered('cedar', 3_100, (i) => ({
    score: i < 3_000 ? 46 + (i % 55) : 45,
    location,
  }));
  const parcelIds = [...(await insertParcels(db, small)), ...(await insertParcels(db, large))];
  ids['list_id'] = (await createList(db, { accountId, name: 'List', parcelIds })).id;
  const corners = [
    { lng: -95.4, lat: 29.6 },
    { lng: -94.6, lat: 29.6 },
    { lng: -95, lat: 30.4 },
  ];
  ids['farm_id'] = (await createFarm(db, { accountId, name: 'Farm', corners })).id;
  const criteria = { counties: ['birch', 'cedar'], min_score: 1 };
  ids['search_id'] = (await createSearch(db, { accountId, name: 'Search', criteria })).id;
});
afterAll(() => contract.close());

const leads = (kind: string, query: string) =>
  caller.ok<Leads>(`/v1/leads?${kind}=${ids[kind]}&${query}`);

describe.each(['list_id', 'farm_id', 'search_id'])('a source with 5,100 parcels: %s', (kind) => {
  it('is cut to its 5,000 highest scores', async () => {
    const page = await leads(kind, 'min_score=0&limit=100');
    expect(page.source).toMatchObject({ candidates: 5_000, candidate_cap: 5_000 });
    expect(page.total).toBe(5_000);
    const last = await leads(kind, 'min_score=0&limit=100&offset=4990');
    expect(last.leads.map(({ score }) => score)).toEqual(Array.from({ length: 10 }, () => 46));
    expect(await leads(kind, 'tier=cold')).toMatchObject({ total: 5_000 });
    expect(await leads(kind, 'min_score=47')).toMatchObject({ total: 5_000 - 105 });
  });

  it('the cap hides no hot lead', async () => {
    const page = await leads(kind, 'tier=hot&limit=100');
    const hotOfBirch = 6 * 50;
    const hotOfCedar = 21 * 54;
    expect(page.total).toBe(hotOfBirch + hotOfCedar);
    expect(page.leads[0]?.score).toBe(100);
    expect(page.leads.every(({ score }) => score >= 80)).toBe(true);
  });

  it('filters see the candidates, not what was cut', async () => {
    const page = await leads(kind, 'lead_type=vacant&min_score=0');
    expect(page).toMatchObject({ source: { candidates: 5_000 }, total: 0 });
  });
});

it("a search's own criteria come before the cap", async () => {
  const { db } = contract.records;
  const { accountId } = caller;
  await insertParcels(
    db,
    numbered('dogwood', 60, (i) => ({
      ...{
        score: i % 2 ? 30 : 90,
        city: i % 3 ? 'Ash Fork' : 'Oakdale',
        zip: i % 5 ? '75001' : '75002',
      },
      lead_types: i % 2 ? ['vacant'] : ['free-clear'],
    })),
  );
  const counties = ['cedar', 'dogwood', 'nowhere'];
  const found = async (criteria: object) => {
    const { id } = await createSearch(db, {
      ...{ accountId, name: 'S', criteria: { counties, min_score: 1, ...criteria } },
    });
    const { source, total } = await caller.ok<Leads>(`/v1/leads?search_id=${id}&min_score=0`);
    expect(total).toBe(source.candidates);
    return total;
  };
  expect(await found({ lead_types: ['vacant'] })).toBe(30);
  expect(await found({ lead_types: ['vacant', 'free-clear'] })).toBe(60);
  expect(await found({ cities: ['Oakdale'] })).toBe(20);
  expect(await found({ zips: ['75002'] })).toBe(12);
  expect(await found({ cities: ['oakDALE'] })).toBe(20);
  expect(await found({ zips: ['75002'], cities: ['Oakdale'], lead_types: ['vacant'] })).toBe(2);
  expect(await found({ lead_types: ['vacant'], min_score: 31 })).toBe(0);
  expect(await found({ counties: ['dogwood'], min_score: 90 })).toBe(30);
});

it('five digits of a ZIP code mean all that begin with them, nine just that one', async () => {
  const zips = ['76001', '76001-1234', '76001-9999', '76002', '76002-1234'];
  await insertParcels(
    contract.records.db,
    numbered('elder', 50, (i) => ({ score: 60, zip: zips[i % 5] ?? '' })),
  );
  const found = async (wanted: string[]) => {
    const criteria = { counties: ['elder'], zips: wanted };
    const { accountId } = caller;
    const { id } = await createSearch(contract.records.db, { accountId, name: 'Z', criteria });
    return (await caller.ok<Leads>(`/v1/leads?search_id=${id}`)).total;
  };
  expect(await found(['76001'])).toBe(30);
  expect(await found(['76001', '76002'])).toBe(50);
  expect(await found(['76001-1234'])).toBe(10);
  expect(await found(['76002', '76001-9999'])).toBe(30);
  expect(await found(['76003'])).toBe(0);
});

it('a search by city or ZIP code reads parcels by an index', async () => {
  const { db } = contract.records;
  const { accountId } = caller;
  await db.execute(sql`analyze parcels`);
  for (const rare of [{ zips: ['75002'] }, { zips: ['75002-1234'] }, { cities: ['Nowhere'] }]) {
    const criteria = { counties: ['birch', 'cedar', 'dogwood'], ...rare };
    const { id } = await createSearch(db, { accountId, name: 'P', criteria });
    const wanted = { kind: 'search', id } as const;
    const { candidates } = await findSource(db, { accountId, plan: 'elite' }, wanted);
    const plan = await db.execute(sql`explain (format json) ${candidates}`);
    const text = JSON.stringify(plan);
    expect(text).not.toContain('Seq Scan');
    expect(text).toMatch('zips' in rare ? /parcels_zip5_score/ : /parcels_county_/);
  }
});
