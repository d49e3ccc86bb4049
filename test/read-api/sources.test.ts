import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_CATALOGUE, EVENT_TYPES } from '../../src/events/catalogue.ts';
import { createFarm } from '../../src/farms/create-farm.ts';
import { addLeads, removeLeads } from '../../src/lists/change-leads.ts';
import { createList } from '../../src/lists/create-list.ts';
import { createSearch } from '../../src/searches/create-search.ts';
import { documentValidator, startContract, type Contract, type Json } from './contract.ts';
import { insertParcels, numbered } from './data.ts';

/* Ping, samples, and what leads are read through (spec §§2.9, 4.2). */
let contract: Contract;

beforeAll(async () => {
  contract = await startContract();
});
afterAll(() => contract.close());

const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

it.each(['pro', 'elite'] as const)('GET /v1/ping says whose key it is: %s', async (plan) => {
  const { accountId, ok } = await contract.newCaller(plan);
  expect(await ok('/v1/ping')).toStrictEqual({
    ...{ ok: true, user_id: accountId, plan, scopes: ['read'] },
  });
});

describe('GET /v1/events/samples (spec §§2.1, 6.2)', () => {
  it('one of each type, with fixture and an id of a sample, in the account’s name', async () => {
    const { accountId, ok } = await contract.newCaller();
    const { events } = await ok<{ events: Json[] }>('/v1/events/samples');
    expect(events.map(({ type }) => type)).toEqual(EVENT_TYPES);
    const validate = documentValidator(contract.document);
    for (const event of events) {
      const type = event['type'] as (typeof EVENT_TYPES)[number];
      expect(Object.keys(event)).toEqual(['id', 'type', 'created_at', 'user_id', 'data']);
      expect(event).toMatchObject({ user_id: accountId, data: { fixture: true } });
      expect(event['id']).toMatch(/^evt_sample_/);
      expect(EVENT_CATALOGUE[type].data.safeParse(event['data']).success).toBe(true);
      const webhook = contract.document.webhooks[type]!.post.requestBody;
      expect(validate(webhook.content['application/json'].schema, event)).toEqual([]);
    }
  });
});

describe('GET /v1/lists', () => {
  it('the account’s lists, oldest first, with how many leads are on each', async () => {
    const { db } = contract.records;
    const { accountId, ok } = await contract.newCaller();
    expect(await ok('/v1/lists')).toEqual({ lists: [] });
    const parcelIds = await insertParcels(
      db,
      numbered('elm', 5, () => ({})),
    );
    const one = await createList(db, { accountId, name: 'One', parcelIds });
    const two = await createList(db, { accountId, name: 'Zwei “ü” \\ "q"' });
    const { lists } = await ok<{ lists: Json[] }>('/v1/lists');
    expect(lists).toStrictEqual([
      { id: one.id, name: 'One', status: 'active', leads: 5, updated_at: expect.any(String) },
      { id: two.id, name: two.name, status: 'active', leads: 0, updated_at: two.updatedAt },
    ]);
    expect(lists[0]?.['updated_at']).toMatch(MICROSECONDS);
    await addLeads(db, { accountId, listId: two.id, parcelIds: parcelIds.slice(0, 3) });
    await removeLeads(db, { accountId, listId: two.id, parcelIds: parcelIds.slice(0, 1) });
    const after = await ok<{ lists: Json[] }>('/v1/lists');
    expect(after.lists[1]).toMatchObject({ leads: 2 });
    expect(String(after.lists[1]?.['updated_at']) > two.updatedAt).toBe(true);
  });

  it('an archived list is still one', async () => {
    const { db, database } = contract.records;
    const { accountId, ok } = await contract.newCaller();
    const { id } = await createList(db, { accountId, name: 'Done' });
    await database.sql`update lists set status = 'archived' where id = ${id}`;
    expect(await ok('/v1/lists')).toMatchObject({ lists: [{ id, status: 'archived' }] });
    expect(await ok(`/v1/leads?list_id=${id}`)).toMatchObject({ total: 0 });
  });
});

describe('GET /v1/farms', () => {
  it('the account’s farms, with the parcels that lie in each now', async () => {
    const { db } = contract.records;
    const { accountId, ok } = await contract.newCaller();
    expect(await ok('/v1/farms')).toEqual({ farms: [] });
    const square = (lng: number) => [
      ...[
        { lng, lat: 10 },
        { lng: lng + 1, lat: 10 },
      ],
      ...[
        { lng: lng + 1, lat: 11 },
        { lng, lat: 11 },
      ],
    ];
    const west = await createFarm(db, { accountId, name: 'West', corners: square(-100) });
    const east = await createFarm(db, {
      ...{ accountId, name: 'East', corners: square(-98), alertsEnabled: false },
    });
    await insertParcels(
      db,
      numbered('fir', 7, (i) => ({ location: { lng: -99.5 + i / 100, lat: 10.5 } })),
    );
    const { farms } = await ok<{ farms: Json[] }>('/v1/farms');
    expect(farms).toStrictEqual([
      ...[
        { id: west.id, name: 'West', parcels: 7, alerts_enabled: true, updated_at: west.updatedAt },
      ],
      ...[
        {
          id: east.id,
          name: 'East',
          parcels: 0,
          alerts_enabled: false,
          updated_at: east.updatedAt,
        },
      ],
    ]);
    expect(farms[0]?.['updated_at']).toMatch(MICROSECONDS);
  });
});

describe('GET /v1/searches', () => {
  it('the account’s saved searches, each with its criteria in words', async () => {
    const { db, database } = contract.records;
    const { accountId, ok } = await contract.newCaller('pro');
    expect(await ok('/v1/searches')).toEqual({ searches: [] });
    const criteria = { counties: ['elm'], lead_types: ['probate', 'vacant'], min_score: 60 };
    const search = await createSearch(db, { accountId, name: 'Good ones', criteria });
    await database.sql`
      insert into searches (id, account_id, name, criteria)
      values ('srch_zz', ${accountId}, 'Old', '[]')`;
    const { searches } = await ok<{ searches: Json[] }>('/v1/searches');
    expect(searches).toStrictEqual([
      {
        ...{ id: search.id, name: 'Good ones', updated_at: search.updatedAt },
        label: 'Probate or Vacant in elm; score 60 or more',
      },
      {
        ...{
          id: 'srch_zz',
          name: 'Old',
          updated_at: expect.stringMatching(MICROSECONDS) as unknown,
        },
        label: 'No longer understood; save it again',
      },
    ]);
  });
});

it.each(['ping', 'events/samples', 'lists', 'farms', 'searches'])(
  'GET /v1/%s has no parameters: 400 for any',
  async (path) => {
    const { get } = await contract.newCaller();
    const { status, body } = await get(`/v1/${path}?limit=5`);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: {
        error: 'bad_request',
        message: 'There is no parameter "limit" here; there are none.',
      },
    });
  },
);
