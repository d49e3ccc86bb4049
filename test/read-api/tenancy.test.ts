import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeal } from '../../src/deals/create-deal.ts';
import { createFarm } from '../../src/farms/create-farm.ts';
import { createList } from '../../src/lists/create-list.ts';
import { createSearch } from '../../src/searches/create-search.ts';
import { startContract, type Answer, type Caller, type Contract } from './contract.ts';
import { insertOrder, insertParcels, insertSkipTrace, numbered } from './data.ts';

/* A key returns only what belongs to its account (spec §§1, 5.1). Parcels are public, all else is not. */
let contract: Contract;
let one: Tenant;
let two: Tenant;
let parcelIds: string[];

interface Tenant extends Caller {
  listId: string;
  farmId: string;
  searchId: string;
  dealId: string;
  orderId: string;
}

beforeAll(async () => {
  contract = await startContract();
  parcelIds = await insertParcels(
    contract.records.db,
    numbered('elm', 40, (i) => ({ score: 50 + i, location: { lng: -95, lat: 30 } })),
  );
  [one, two] = [await newTenant('one', 10), await newTenant('two', 30)];
});
afterAll(() => contract.close());

/** An account with one of everything, and with its name in whatever can hold it. */
async function newTenant(name: string, leads: number): Promise<Tenant> {
  const { db, context } = contract.records;
  const caller = await contract.newCaller();
  const { accountId } = caller;
  const [parcelId = ''] = parcelIds;
  const corners = [
    { lng: -95.4, lat: 29.6 },
    { lng: -94.6, lat: 29.6 },
    { lng: -95, lat: 30.4 },
  ];
  const list = { accountId, name, parcelIds: parcelIds.slice(0, leads) };
  const changes = { note: name, buyer_email: `${name}@example.com` };
  const trace = { accountId, parcelId, batchId: name, fulfilledAt: '2026-02-03T00:00:00Z' };
  return {
    ...caller,
    listId: (await createList(db, list)).id,
    farmId: (await createFarm(db, { accountId, name, corners })).id,
    searchId: (
      await createSearch(db, { accountId, name, criteria: { counties: ['elm'], min_score: 1 } })
    ).id,
    dealId: (await createDeal(context, { accountId, parcelId, changes })).id,
    orderId: await insertSkipTrace(db, trace, { emails: [`${name}@example.com`] }),
  };
}

const pathsOf = ({ listId, farmId, searchId, dealId }: Tenant) => ({
  list: `/v1/leads?list_id=${listId}`,
  farm: `/v1/leads?farm_id=${farmId}`,
  search: `/v1/leads?search_id=${searchId}`,
  deal: `/v1/deals/${dealId}`,
});

/** Everything that an account can read. */
const everything = (tenant: Tenant) => [
  ...Object.values(pathsOf(tenant)),
  ...['/v1/ping', '/v1/events/samples', '/v1/lists', '/v1/farms', '/v1/searches', '/v1/deals'],
  ...['/v1/orders', '/v1/leads/elm/00000', '/v1/leads/lookup?address=00000+Elm+St'],
];

/** The whole answer, byte for byte, but for what differs from request to request. */
function constant({ status, headers, body }: Answer) {
  const fixed = [...headers].filter(
    ([name]) => !['date', 'x-request-id', 'ratelimit'].includes(name),
  );
  return { status, headers: fixed, text: JSON.stringify({ ...body, request_id: '' }) };
}

describe.each(['list', 'farm', 'search', 'deal'] as const)("another account's %s", (kind) => {
  it('is 404, the same in every byte as for what does not exist', async () => {
    for (const [mine, theirs] of [
      [one, two],
      [two, one],
    ] as const) {
      const path = pathsOf(theirs)[kind];
      await theirs.ok(path);
      const foreign = await mine.get(path);
      const missing = await mine.get(path.replace(/[0-9a-f]{32}$/, '0'.repeat(32)));
      expect(foreign.status).toBe(404);
      expect(constant(foreign)).toEqual(constant(missing));
    }
  });
});

it.each([
  ['/v1/deals', 'status=NEW'],
  ['/v1/orders', 'service=SKIP_TRACE&status=FULFILLED'],
  ['/v1/deals', 'updated_since=2000-01-01T00:00:00Z'],
  ['/v1/orders', 'since=2000-01-01T00:00:00Z'],
])('%s?%s has only its own, and counts only its own', async (path, query) => {
  for (const tenant of [one, two]) {
    const body = await tenant.ok(`${path}?${query}&limit=100`);
    expect(body['total']).toBe(1);
    expect(JSON.stringify(body)).toContain(path === '/v1/deals' ? tenant.dealId : tenant.orderId);
  }
});

it("nothing that one account reads speaks of another's", async () => {
  for (const [mine, theirs] of [
    [one, two],
    [two, one],
  ] as const) {
    const { listId, farmId, searchId, dealId, orderId, accountId } = theirs;
    const [own, foreign] = mine === one ? ['one@', 'two@'] : ['two@', 'one@'];
    const text = JSON.stringify(await Promise.all(everything(mine).map((path) => mine.ok(path))));
    for (const id of [listId, farmId, searchId, dealId, orderId, accountId, foreign]) {
      expect(text).not.toContain(id);
    }
    expect(text).toContain(own);
  }
});

it('contacts of a parcel that both have traced are those of the one who asks', async () => {
  for (const [tenant, name] of [
    [one, 'one'],
    [two, 'two'],
  ] as const) {
    const { listId, farmId, searchId, orderId } = tenant;
    const contacts = { order_id: orderId, emails: [`${name}@example.com`] };
    expect(await tenant.ok('/v1/leads/elm/00000')).toMatchObject({ lead: { contacts } });
    for (const source of [`list_id=${listId}`, `farm_id=${farmId}`, `search_id=${searchId}`]) {
      const { leads } = await tenant.ok<{ leads: { contacts: unknown }[] }>(
        `/v1/leads?${source}&min_score=0&limit=100`,
      );
      const bought = leads.filter((lead) => lead.contacts !== null);
      expect(bought).toMatchObject([{ parcel_id: 'elm:00000', contacts }]);
    }
  }
});

it("totals, counts and candidates do not change with another account's records", async () => {
  const read = () => Promise.all(everything(one).map((path) => one.ok(path)));
  const before = await read();
  const { db, context } = contract.records;
  const { accountId } = two;
  for (const parcelId of parcelIds) {
    await createDeal(context, { accountId, parcelId });
    await insertOrder(db, { accountId, parcelId });
    await insertSkipTrace(db, { accountId, parcelId, fulfilledAt: '2026-12-03T00:00:00Z' });
  }
  await newTenant('three', 40);
  await createList(db, { accountId, name: 'More', parcelIds });
  expect(await read()).toEqual(before);
});

it("a row of one account that points to another's cannot be stored", async () => {
  const { sql } = contract.records.database;
  const [parcelId = ''] = parcelIds;
  await expect(
    sql`insert into list_leads (account_id, list_id, parcel_id)
        values (${one.accountId}, ${two.listId}, ${parcelId})`,
  ).rejects.toThrow(/duplicate key|list_leads_list/);
});
