import { createHash } from 'node:crypto';
import { eq, ne, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events, heldLeads, outbox, parcels } from '../../drizzle/schema.ts';
import { listAccounts } from '../../src/accounts/accounts.ts';
import { demoParcels } from '../../src/demo/parcels.ts';
import { DEMO_COUNTIES } from '../../src/demo/places.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { tierOf, TIERS } from '../../src/domain/tier.ts';
import { readFarms, readLists, readSearches } from '../../src/leads/read-sources.ts';
import { orderObject } from '../../src/events/shapes/order.ts';
import { listLeads } from '../../src/leads/list-leads.ts';
import { readOrders } from '../../src/orders/read-orders.ts';
import { listCampaigns } from '../../src/postcards/read-campaigns.ts';
import { listEndpoints } from '../../src/endpoints/read-endpoints.ts';
import { parcelFields } from '../../src/parcels/parcel-fields.ts';
import { parcelRow } from '../../src/parcels/parcel-row.ts';
import { saveParcel } from '../../src/parcels/parcels.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

const DAY = '2026-01-15';

describe('the made-up parcels', () => {
  const all = [...demoParcels(DAY)];
  const rows = all.map((fields) => parcelRow(fields, undefined, DAY));

  test('are the same every time, on every machine', () => {
    expect([...demoParcels(DAY)]).toEqual(all);
    const hash = createHash('sha256').update(JSON.stringify(all)).digest('hex');
    expect(hash).toBe('aba575658403f72da5aed2d69334b7b1d8dcb5dda7a9a9de1d57074151e111b7');
  });

  test('are valid, and each is another parcel at another address', () => {
    for (const fields of all) expect(parcelFields.safeParse(fields).error).toBeUndefined();
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(new Set(all.map(({ address }) => address)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(19_000);
    expect(rows.filter(({ streetKey }) => !streetKey)).toEqual([]);
  });

  test('are spread over the tiers', () => {
    const share = (tier: string) =>
      rows.filter(({ score }) => tierOf(score) === tier).length / rows.length;
    const [hot, warm, moderate] = TIERS.map(share) as [number, number, number];
    expect(hot).toBeGreaterThan(0.01);
    expect(hot).toBeLessThan(0.02);
    expect(warm).toBeGreaterThan(0.05);
    expect(warm).toBeLessThan(0.08);
    expect(moderate).toBeGreaterThan(0.17);
    expect(moderate).toBeLessThan(0.23);
    expect(rows.slice(0, 5).map(({ score }) => tierOf(score))).toEqual([
      ...['hot', 'warm', 'moderate', 'cold', 'warm'],
    ]);
  });

  test('lie in the towns of their counties', () => {
    for (const { county, city, zip, lng, lat } of all) {
      const town = DEMO_COUNTIES[county as 'maple'].find(({ name }) => name === city)!;
      expect(town.zips).toContain(zip);
      expect(Math.abs(lng! - town.center.lng)).toBeLessThan(town.reach);
      expect(Math.abs(lat! - town.center.lat)).toBeLessThan(town.reach);
    }
  });

  test('have some buildings with many homes, at one house number and street', () => {
    const homes = new Map<string, number>();
    for (const { houseNumber, streetKey, city } of rows) {
      const key = `${houseNumber} ${streetKey}, ${city}`;
      homes.set(key, (homes.get(key) ?? 0) + 1);
    }
    const buildings = [...homes.values()].filter((count) => count > 1);
    expect(buildings.length).toBeGreaterThan(40);
    expect(Math.min(...buildings)).toBeGreaterThanOrEqual(4);
  });

  test('are as fresh on any other day', () => {
    const later = [...demoParcels('2031-06-30')].map((fields) =>
      parcelRow(fields, undefined, '2031-06-30'),
    );
    expect(later.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    const hot = later.filter(({ score }) => tierOf(score) === 'hot').length;
    expect(hot / later.length).toBeGreaterThan(0.01);
  });
});

describe('seeding', () => {
  let records: TestRecords;
  beforeAll(async () => void (records = await createTestRecords()));
  afterAll(() => records.close());

  const seed = async (url: string, told: string[] = []) => {
    const checkUrl = (raw: string) => Promise.resolve(new URL(raw));
    return seedDemo({ ...records.context, checkUrl }, url, {
      progress: (message) => told.push(message),
    });
  };

  /** Everything that seeding writes, but for the moment of an endpoint's last change. */
  const everything = async () => {
    const [row] = await records.db.execute(sql`
      select
        (select md5(string_agg(p::text, '' order by id)) from parcels p) as parcels,
        (select md5(string_agg(a::text, '' order by id)) from accounts a) as accounts,
        (select md5(string_agg(l::text, '' order by id)) from lists l) as lists,
        (select md5(string_agg(l::text, '' order by list_id, parcel_id)) from list_leads l) as leads,
        (select md5(string_agg(f::text, '' order by id)) from farms f) as farms,
        (select md5(string_agg(s::text, '' order by id)) from searches s) as searches,
        (select md5(string_agg(h::text, '' order by account_id, parcel_id)) from held_leads h) as held,
        (select md5(string_agg(o::text, '' order by id)) from orders o) as orders,
        (select md5(string_agg(c::text, '' order by id)) from campaigns c) as campaigns,
        (select md5(string_agg(w::text, '' order by account_id)) from watched_counties w) as watched,
        (select md5(string_agg(e::text, '' order by id)) from endpoints e) as endpoints`);
    return row;
  };

  test('makes counties, accounts and an endpoint; a second time it changes nothing', async () => {
    // As an older version left it: the address only.
    await saveParcel(records.db, {
      ...{ county: 'maple', account_num: '0100-01', city: 'Millbrook', zip: '75010' },
      address: '12 Alder Ct, Millbrook, TX 75010',
    });
    const told: string[] = [];
    const first = await seed('http://127.0.0.1:9000', told);
    expect(told.at(0)).toMatch(/^Demo data: 0 of 20,\d{3} parcels$/);
    expect(told.at(-1)).toMatch(/^Demo data: (20,\d{3}) of \1 parcels$/);
    expect(first).toMatchObject({ account: { plan: 'elite' }, parcelId: 'maple:0100-01' });
    const [suggested] = await records.db
      .select()
      .from(parcels)
      .where(eq(parcels.id, first.parcelId));
    expect(suggested).toMatchObject({ address: '12 Alder Ct, Millbrook, TX 75010', score: 93 });

    const before = await everything();
    const toldAgain: string[] = [];
    expect(await seed('http://127.0.0.1:9000', toldAgain)).toEqual(first);
    expect(toldAgain).toEqual([]);
    expect(await everything()).toEqual(before);

    const moved = await seed('http://127.0.0.1:9001');
    expect(moved.endpointId).toBe(first.endpointId);
    expect(await listEndpoints(records.db, first.account.id)).toMatchObject([
      { url: 'http://127.0.0.1:9001/hooks' },
    ]);
  });

  test('gives an account of each plan a list, a farm, a search and saved leads', async () => {
    const accounts = await listAccounts(records.db);
    expect(accounts.map(({ plan }) => plan)).toEqual(['elite', 'pro', 'free']);
    for (const { id } of accounts) {
      const [list, farm, search] = [
        (await readLists(records.db, id))[0]!,
        (await readFarms(records.db, id))[0]!,
        (await readSearches(records.db, id))[0]!,
      ];
      expect(list.leads).toBeGreaterThanOrEqual(15);
      expect(farm.parcels).toBeGreaterThan(20);
      expect(search.label).toMatch(/ in .*(maple|cedar)/);
      const held = await records.db.select().from(heldLeads).where(eq(heldLeads.accountId, id));
      expect(held.length).toBeGreaterThanOrEqual(3);
    }
  });

  test('gives accounts whose plan has contacts some orders, and records no event about them', async () => {
    const { db, context } = records;
    const page = { limit: 100, offset: 0 };
    for (const { id: accountId, plan } of await listAccounts(db)) {
      const caller = { accountId, plan };
      const { orders } = await readOrders(context, caller, page);
      for (const order of orders) expect(orderObject.safeParse(order).error).toBeUndefined();
      const traced = orders.filter(({ contacts }) => contacts);
      const campaigns = await listCampaigns(db, accountId, 10);
      if (plan === 'free') {
        expect([orders, campaigns]).toEqual([[], []]);
        continue;
      }
      expect(traced).toHaveLength(8);
      expect(traced.some(({ contacts }) => contacts!.callable_phones > 0)).toBe(true);
      const statuses = new Set(orders.map(({ service, status }) => `${service} ${status}`));
      expect(statuses).toContain('SKIP_TRACE QUEUED');
      expect(statuses).toContain('POSTCARD FULFILLED');
      expect(campaigns).toMatchObject([{ state: 'delivered_est', dueAt: null }]);
      const [list] = await readLists(db, accountId);
      const style = { serviceName: 'Lead Events', urls: context.urls };
      const { leads } = await listLeads({ db, style }, caller, {
        ...{ source: { kind: 'list', id: list!.id }, minScore: 0 },
        ...page,
      });
      expect(leads.filter(({ contacts }) => contacts)).toHaveLength(8);
    }
    expect(await db.select({ id: events.id }).from(events)).toEqual([]);
    expect(
      await db.select({ key: outbox.key }).from(outbox).where(ne(outbox.task, 'health')),
    ).toEqual([]);
  });

  test('keeps what somebody changed', async () => {
    const key = { county: 'maple', account_num: '0101-01' };
    const [before] = await records.db.select().from(parcels).where(eq(parcels.id, 'maple:0101-01'));
    const { address, city, zip } = before!;
    await saveParcel(records.db, { ...{ ...key, address, city, zip }, owner_name: 'Somebody' });
    await seed('http://127.0.0.1:9001');
    const [after] = await records.db.select().from(parcels).where(eq(parcels.id, 'maple:0101-01'));
    expect(after).toMatchObject({ ownerName: 'Somebody' });
  });
});
