import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFarm } from '../../src/farms/create-farm.ts';
import { createList } from '../../src/lists/create-list.ts';
import { createSearch } from '../../src/searches/create-search.ts';
import { errorOf, startContract, type Caller, type Contract, type Json } from './contract.ts';
import { insertParcels, numbered, saveMixedParcel } from './data.ts';

/*
 * GET /v1/leads, parameter by parameter (spec §4.3). One county with a parcel of every score from 0
 * to 100: the parcel with number n has the score n.
 */
let contract: Contract;
let caller: Caller;
let list: string;
let farm: string;
let search: string;

interface Leads {
  source: Json;
  filters: Json;
  leads: ({ parcel_id: string; score: number; tier: string } & Json)[];
  total: number;
  limit: number;
  offset: number;
}

beforeAll(async () => {
  contract = await startContract();
  const { db } = contract.records;
  caller = await contract.newCaller();
  const { accountId } = caller;
  const parcels = numbered('elm', 101, (i) => ({
    score: i,
    lead_types: i % 10 === 0 ? ['vacant', 'free-clear'] : ['absentee-owner'],
    location: { lng: -95 + i / 1_000, lat: 30 },
  }));
  const parcelIds = await insertParcels(db, parcels);
  // One parcel that no source has.
  await insertParcels(db, [{ county: 'oak', account_num: '1', score: 99 }]);
  list = (await createList(db, { accountId, name: 'All of Elm', parcelIds })).id;
  const corners = [
    ...[
      { lng: -95.5, lat: 29.9 },
      { lng: -94.5, lat: 29.9 },
    ],
    ...[
      { lng: -94.5, lat: 30.1 },
      { lng: -95.5, lat: 30.1 },
    ],
  ];
  farm = (await createFarm(db, { accountId, name: 'Round Elm', corners })).id;
  const criteria = { counties: ['elm'], cities: ['Millbrook'] };
  search = (await createSearch(db, { accountId, name: 'In Elm', criteria })).id;
});
afterAll(() => contract.close());

const leads = (query: string) => caller.ok<Leads>(`/v1/leads?list_id=${list}&${query}`);
const scores = (page: Leads) => page.leads.map(({ score }) => score);
/** The whole numbers from one down to another. */
const down = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, i) => from - i);

describe('the source (spec §4.3)', () => {
  it.each(['list', 'farm', 'search'])('is read through: a %s', async (kind) => {
    const id = { list, farm, search }[kind]!;
    const name = { list: 'All of Elm', farm: 'Round Elm', search: 'In Elm' }[kind];
    const page = await caller.ok<Leads>(`/v1/leads?${kind}_id=${id}`);
    expect(Object.keys(page)).toEqual(['source', 'filters', 'leads', 'total', 'limit', 'offset']);
    expect(page.source).toEqual({ kind, id, name, candidates: 101, candidate_cap: 5_000 });
    expect(page).toMatchObject({ total: 61, limit: 25, offset: 0 });
    expect(scores(page)).toEqual(down(100, 76));
  });

  it.each([
    ['', 'none is given.'],
    ['list_id=a&farm_id=b', 'not list_id and farm_id.'],
    ['list_id=a&farm_id=b&search_id=c', 'not list_id and farm_id and search_id.'],
  ])('is exactly one: 400 for ?%s', async (query, end) => {
    const error = errorOf(await caller.get(`/v1/leads?${query}`));
    expect(error).toMatchObject({ status: 400, error: 'bad_request' });
    expect(error['message']).toMatch(/^Exactly one of list_id, farm_id and search_id is needed/);
    expect(error['message']).toMatch(new RegExp(`${end}$`));
  });

  it.each(['list', 'farm', 'search'])('has to be there: 404 for another %s', async (kind) => {
    const error = errorOf(await caller.get(`/v1/leads?${kind}_id=none`));
    expect(error).toEqual({ status: 404, error: 'not_found', message: `No such ${kind}.` });
  });

  it('is not found under another kind', async () => {
    expect((await caller.get(`/v1/leads?farm_id=${list}`)).status).toBe(404);
    expect((await caller.get(`/v1/leads?search_id=${farm}`)).status).toBe(404);
    expect((await caller.get(`/v1/leads?list_id=${search}`)).status).toBe(404);
  });

  it('may be empty', async () => {
    const { db } = contract.records;
    const { id } = await createList(db, { accountId: caller.accountId, name: 'Nothing yet' });
    const page = await caller.ok<Leads>(`/v1/leads?list_id=${id}`);
    expect(page).toMatchObject({ source: { candidates: 0 }, leads: [], total: 0 });
  });

  it('a search that is no longer understood is 422 unreplayable (spec §7.1)', async () => {
    const { database } = contract.records;
    await database.sql`
      insert into searches (id, account_id, name, criteria)
      values ('srch_old', ${caller.accountId}, 'Old', '{"version": 0, "near": "water"}')`;
    const error = errorOf(await caller.get('/v1/leads?search_id=srch_old'));
    expect(error).toMatchObject({ status: 422, error: 'unreplayable' });
  });

  it('a search is run anew each time', async () => {
    const { db } = contract.records;
    const { accountId } = caller;
    const criteria = { counties: ['fir'], cities: ['Millbrook'] };
    const { id } = await createSearch(db, { accountId, name: 'In Fir', criteria });
    expect(await caller.ok(`/v1/leads?search_id=${id}`)).toMatchObject({ total: 0 });
    await insertParcels(db, [{ county: 'fir', account_num: '1', score: 60 }]);
    expect(await caller.ok(`/v1/leads?search_id=${id}`)).toMatchObject({ total: 1 });
  });
});

describe('tier and min_score (spec §4.3)', () => {
  it.each([
    ['', 40, { tier: null, min_score: null }],
    ['tier=hot', 80, { tier: 'hot', min_score: null }],
    ['tier=warm', 60, { tier: 'warm', min_score: null }],
    ['tier=moderate', 40, { tier: 'moderate', min_score: null }],
    ['tier=cold', 0, { tier: 'cold', min_score: null }],
    ['min_score=0', 0, { tier: null, min_score: 0 }],
    ['min_score=41', 41, { tier: null, min_score: 41 }],
    ['min_score=100', 100, { tier: null, min_score: 100 }],
    ['tier=hot&min_score=10', 10, { tier: 'hot', min_score: 10 }],
    ['tier=cold&min_score=95', 95, { tier: 'cold', min_score: 95 }],
  ])('?%s lets scores from %i through', async (query, floor, filters) => {
    const page = await leads(`${query}&limit=100&offset=1`);
    expect(page.filters).toEqual({ ...filters, lead_type: null });
    expect(page.total).toBe(101 - floor);
    expect(scores(page)).toEqual(floor === 100 ? [] : down(99, floor));
  });

  it.each(['hot', 'warm', 'moderate', 'cold'])('each row tells its tier: %s', async (tier) => {
    const floors = { hot: 80, warm: 60, moderate: 40, cold: 0 };
    const floor = floors[tier as keyof typeof floors];
    const page = await leads(`tier=${tier}&limit=1&offset=${100 - floor}`);
    expect(page.leads).toMatchObject([{ score: floor, tier }]);
  });

  it.each([
    ['tier=lukewarm', 'tier: must be one of hot, warm, moderate, cold, not "lukewarm".'],
    ['tier=HOT', 'tier: must be one of hot, warm, moderate, cold, not "HOT".'],
    ['min_score=101', 'min_score: must be from 0 to 100, not "101".'],
    ['min_score=-1', 'min_score: must be a whole number from 0 to 100, not "-1".'],
    ['min_score=40.5', 'min_score: must be a whole number from 0 to 100, not "40.5".'],
    ['min_score=', 'min_score: must be a whole number from 0 to 100, not "".'],
  ])('400 for ?%s', async (query, message) => {
    const error = errorOf(await caller.get(`/v1/leads?list_id=${list}&${query}`));
    expect(error).toEqual({ status: 400, error: 'bad_request', message });
  });
});

describe('lead_type (spec §4.3)', () => {
  it('lets leads of that type through', async () => {
    const page = await leads('lead_type=vacant&limit=100');
    expect(page.filters).toEqual({ tier: null, min_score: null, lead_type: 'vacant' });
    expect(scores(page)).toEqual([100, 90, 80, 70, 60, 50, 40]);
    expect(page.total).toBe(7);
    expect(page.source).toMatchObject({ candidates: 101 });
  });

  it('goes together with the others', async () => {
    const page = await leads('lead_type=free-clear&tier=hot&limit=2&offset=1');
    expect(page).toMatchObject({ total: 3, limit: 2, offset: 1 });
    expect(scores(page)).toEqual([90, 80]);
    expect(await leads('lead_type=senior-ov65')).toMatchObject({ total: 0, leads: [] });
  });

  it('400 for one that does not exist', async () => {
    const error = errorOf(await caller.get(`/v1/leads?list_id=${list}&lead_type=divorce`));
    expect(error['message']).toMatch(/^lead_type: must be one of probate, .+, not "divorce"\.$/);
  });
});

describe('limit and offset (spec §§4.3, 8)', () => {
  it.each([
    ['', 25, 0, down(100, 76)],
    ['limit=1', 1, 0, [100]],
    ['limit=100&min_score=0', 100, 0, down(100, 1)],
    ['limit=3&offset=59', 3, 59, [41, 40]],
    ['offset=61', 25, 61, []],
    ['offset=999999999', 25, 999_999_999, []],
    ['limit=007', 7, 0, down(100, 94)],
  ])('?%s', async (query, limit, offset, expected) => {
    const page = await leads(query);
    expect(page).toMatchObject({ limit, offset });
    expect(scores(page)).toEqual(expected);
  });

  it.each([
    ...[['limit=0'], ['limit=101'], ['limit=-1'], ['limit=1.0'], ['limit=ten'], ['limit=']],
    ...[['limit=1e1'], ['limit=%2B5'], ['limit=0x10'], ['limit=99999999999999999999']],
    ...[['offset=-1'], ['offset=x'], ['offset=1000000000'], ['offset=']],
  ])('400 for ?%s', async (query) => {
    const [name = '', value = ''] = decodeURIComponent(query).split('=');
    const error = errorOf(await caller.get(`/v1/leads?list_id=${list}&${query}`));
    expect(error).toMatchObject({ status: 400, error: 'bad_request' });
    expect(error['message']).toMatch(new RegExp(`^${name}: must be .*`));
    expect(error['message']).toContain(`not ${JSON.stringify(value)}.`);
  });
});

describe('each row (spec §2.2)', () => {
  it('has the fields of a lead and contacts, in words that agree', async () => {
    const parcel = await saveMixedParcel(contract.records.db, 'ash', '0001-A.2');
    const { lead } = await caller.ok<{ lead: Json }>('/v1/leads/ash/0001-A.2');
    const why =
      'Probate opened in the last 12 months; property tax unpaid for 2 years; the owner lives elsewhere';
    const url = 'https://app.example.com/leads/ash/0001-A.2';
    expect(parcel.score).toBe(65);
    expect(lead).toStrictEqual({
      ...{ parcel_id: 'ash:0001-A.2', county: 'ash', account_num: '0001-A.2' },
      ...{ address: '7 Birch Rd, Millbrook, TX 75010', city: 'Millbrook', zip: '75010' },
      ...{ score: 65, tier: 'warm', why },
      lead_types: ['probate', 'tax-delinquent', 'absentee-owner'],
      ...{ owner_name: 'Ada Bell', mailing_address: '4 Quay St, Austin, TX 78701' },
      deal_url: url,
      crm_note: `Lead Events: 65 Warm | Probate, Tax delinquent, Absentee owner | ${why} | Ada Bell, 4 Quay St, Austin, TX 78701 | ${url}`,
      contacts: null,
    });
    const { id } = await createList(contract.records.db, {
      ...{ accountId: caller.accountId, name: 'One', parcelIds: [parcel.id] },
    });
    const page = await caller.ok<Leads>(`/v1/leads?list_id=${id}`);
    expect(page.leads).toStrictEqual([lead]);
  });

  it('one parcel is read without a source, whatever its score; 404 when there is none', async () => {
    const { lead } = await caller.ok<{ lead: Json }>('/v1/leads/elm/00003');
    expect(lead).toMatchObject({ parcel_id: 'elm:00003', score: 3, tier: 'cold' });
    for (const path of ['elm/3', 'ELM/00003', 'none/00003', 'elm/00003%20']) {
      const error = errorOf(await caller.get(`/v1/leads/${path}`));
      expect(error).toEqual({ status: 404, error: 'not_found', message: 'No such parcel.' });
    }
  });

  it('is never read county-wide: there is no parameter for it', async () => {
    const error = errorOf(await caller.get('/v1/leads?county=elm'));
    expect(error['message']).toBe(
      'There is no parameter "county" here; there are list_id, farm_id, search_id, tier, min_score, lead_type, limit, offset.',
    );
  });
});
