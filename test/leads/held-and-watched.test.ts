import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { heldLeads, watchedCounties } from '../../drizzle/schema.ts';
import type { HeldVia } from '../../src/domain/held-via.ts';
import { holdLead, releaseLead } from '../../src/leads/hold-lead.ts';
import { readHeldLeads } from '../../src/leads/read-held-leads.ts';
import { readWatchedCounties, unwatchCounty, watchCounty } from '../../src/leads/watch-county.ts';
import { saveParcel } from '../../src/parcels/parcels.ts';
import { createTestRecords, TEST_PARCEL, type TestRecords } from '../support/records.ts';

let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

test('a lead is held in each way once, until it is released', async () => {
  const { db } = records;
  const { id: accountId } = await records.newAccount();
  const held = async () => {
    const rows = await db.select().from(heldLeads).where(eq(heldLeads.accountId, accountId));
    return rows.map(({ via }) => via).sort();
  };
  const lead = { accountId, parcelId: TEST_PARCEL };
  await holdLead(db, { ...lead, via: 'saved' });
  await holdLead(db, { ...lead, via: 'saved' });
  await holdLead(db, { ...lead, via: 'purchased' });
  expect(await held()).toEqual(['purchased', 'saved']);
  expect(await releaseLead(db, { ...lead, via: 'saved' })).toBe(true);
  expect(await releaseLead(db, { ...lead, via: 'saved' })).toBe(false);
  expect(await held()).toEqual(['purchased']);
});

test('what cannot be held is refused', async () => {
  const { db } = records;
  const { id: accountId } = await records.newAccount();
  const lead = { accountId, parcelId: TEST_PARCEL, via: 'saved' as const };
  await expect(holdLead(db, { ...lead, parcelId: 'none:1' })).rejects.toMatchObject({
    code: 'bad_request',
  });
  await expect(holdLead(db, { ...lead, accountId: 'acct_none' })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(holdLead(db, { ...lead, via: 'stolen' as HeldVia })).rejects.toMatchObject({
    field: 'via',
  });
});

test('a county is watched once, until it is not', async () => {
  const { db } = records;
  const { id: accountId } = await records.newAccount();
  const watched = async () => {
    const mine = eq(watchedCounties.accountId, accountId);
    return (await db.select().from(watchedCounties).where(mine)).map(({ county }) => county);
  };
  await watchCounty(db, { accountId, county: 'maple' });
  await watchCounty(db, { accountId, county: 'maple' });
  expect(await watched()).toEqual(['maple']);
  await expect(watchCounty(db, { accountId, county: 'mapel' })).rejects.toMatchObject({
    ...{ code: 'bad_request', field: 'county' },
  });
  expect(await unwatchCounty(db, { accountId, county: 'maple' })).toBe(true);
  expect(await unwatchCounty(db, { accountId, county: 'maple' })).toBe(false);
  expect(await watched()).toEqual([]);
});

test("what an account holds and watches can be read, and is nobody else's", async () => {
  const { db } = records;
  const [{ id: accountId }, { id: other }] = [
    await records.newAccount(),
    await records.newAccount(),
  ];
  const place = { county: 'ash', city: 'Millbrook', zip: '75010' };
  await saveParcel(db, { ...place, account_num: '1', address: '1 Elm St', vacant: true });
  await holdLead(db, { accountId, parcelId: TEST_PARCEL, via: 'saved' });
  await holdLead(db, { accountId, parcelId: TEST_PARCEL, via: 'purchased' });
  await holdLead(db, { accountId, parcelId: 'ash:1', via: 'saved' });
  await holdLead(db, { accountId: other, parcelId: TEST_PARCEL, via: 'saved' });
  const held = await readHeldLeads(db, accountId, { limit: 50 });
  expect(held).toMatchObject([
    { parcelId: 'ash:1', address: '1 Elm St', via: ['saved'] },
    { parcelId: TEST_PARCEL, via: ['purchased', 'saved'] },
  ]);
  expect(held[0]!.score).toBeGreaterThan(held[1]!.score);
  expect(await readHeldLeads(db, accountId, { limit: 1 })).toHaveLength(1);

  for (const county of ['maple', 'ash']) await watchCounty(db, { accountId, county });
  await watchCounty(db, { accountId: other, county: 'maple' });
  expect(await readWatchedCounties(db, accountId)).toEqual(['ash', 'maple']);
});
