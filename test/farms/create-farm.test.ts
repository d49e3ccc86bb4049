import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { farms } from '../../drizzle/schema.ts';
import { createFarm } from '../../src/farms/create-farm.ts';
import { readFarms } from '../../src/leads/read-sources.ts';
import { saveParcel } from '../../src/parcels/parcels.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

/** An L: its inner corner is left out. */
const CORNERS = [
  { lng: -97, lat: 33 },
  { lng: -96, lat: 33 },
  { lng: -96, lat: 33.5 },
  { lng: -96.5, lat: 33.5 },
  { lng: -96.5, lat: 34 },
  { lng: -97, lat: 34 },
];

test('has the parcels within its corners', async () => {
  const { db } = records;
  const { id: accountId } = await records.newAccount();
  const places = [
    [-96.9, 33.9],
    [-96.1, 33.1],
    [-96.1, 33.9],
    [-95.9, 33.1],
  ] as const;
  for (const [i, [lng, lat]] of places.entries()) {
    const place = { county: 'oak', account_num: `${i}`, address: `${i + 1} Elm St`, lng, lat };
    await saveParcel(db, { ...place, city: 'Millbrook', zip: '75010' });
  }
  const farm = await createFarm(db, { accountId, name: 'L', corners: CORNERS });
  expect(farm).toMatchObject({ accountId, name: 'L', area: CORNERS, alertsEnabled: true });
  const [stored] = await db.select().from(farms).where(eq(farms.id, farm.id));
  expect(stored).toEqual(farm);
  expect(await readFarms(db, accountId)).toMatchObject([{ id: farm.id, parcels: 2 }]);
});

test('a ring that is closed as in GeoJSON is the same farm; alerts can be off', async () => {
  const { id: accountId } = await records.newAccount();
  const corners = [...CORNERS, CORNERS[0]];
  const farm = await createFarm(records.db, {
    ...{ accountId, name: 'Closed', corners, alertsEnabled: false },
  });
  expect(farm).toMatchObject({ area: CORNERS, alertsEnabled: false });
});

const [a, b] = CORNERS;
const at = (lng: number, lat: number) => ({ lng, lat });

const WRONG: [string, unknown][] = [
  ['corners', undefined],
  ['corners', []],
  ['corners', [a, b]],
  ['corners', [a, b, a]],
  ['corners', [a, b, b]],
  // No land in it, an edge across another, an edge that comes back, more than a neighbourhood.
  ['corners', [at(0, 0), at(0.1, 0.1), at(0.2, 0.2)]],
  ['corners', [at(0, 0), at(0.2, 0.2), at(0.2, 0), at(0, 0.2)]],
  ['corners', [at(0, 0), at(0.2, 0), at(0.2, 0.2), at(0.1, 0), at(0, 0.2)]],
  ['corners', [at(0, 0), at(1.1, 0), at(1.1, 0.1), at(0, 0.1)]],
  ['corners', [at(179.9, 10), at(-179.9, 10), at(-179.9, 11), at(179.9, 11)]],
  ['corners', Array.from({ length: 501 }, (_, i) => ({ lng: i / 10, lat: i / 10 }))],
  ['corners.0.lng', [{ lng: 181, lat: 0 }, a, b]],
  ['corners.1.lat', [a, { lng: 0, lat: -90.5 }, b]],
  ['corners.2.lat', [a, b, { lng: 0, lat: NaN }]],
  ['corners.0.lat', [{ lng: 1 }, a, b]],
];

test.each(WRONG)('%s is wrong in %j', async (field, corners) => {
  const { id: accountId } = await records.newAccount();
  await expect(createFarm(records.db, { accountId, name: 'Wrong', corners })).rejects.toMatchObject(
    { code: 'bad_request', field },
  );
});

test('500 corners are well', async () => {
  const { id: accountId } = await records.newAccount();
  const corners = Array.from({ length: 500 }, (_, i) => ({
    lng: 0.5 * Math.cos((i * Math.PI) / 250),
    lat: 0.5 * Math.sin((i * Math.PI) / 250),
  }));
  const farm = await createFarm(records.db, { accountId, name: 'Round', corners });
  expect(farm.area).toEqual(corners);
});
