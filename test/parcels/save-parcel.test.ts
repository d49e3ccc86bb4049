import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parcels } from '../../drizzle/schema.ts';
import { evaluate } from '../../src/domain/score.ts';
import { signalsOf, today } from '../../src/parcels/evaluate-parcel.ts';
import { PARCEL_FIELDS } from '../../src/parcels/parcel-fields.ts';
import { saveParcel } from '../../src/parcels/parcels.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

let count = 0;
const place = () => ({
  ...{ county: 'oak', account_num: `${(count += 1)}`, address: '1204 Alder Creek Ln Apt 4' },
  ...{ city: 'Millbrook', zip: '75010' },
});

const everything = () => ({
  ...place(),
  ...{ state: 'TX', lng: -96.912345, lat: 33.123456 },
  ...{ owner_name: 'Ada Fields', mailing_address: '1 Elm St, Tulsa, OK 74105' },
  ...{ mailing_state: 'OK', owner_occupied: false, owned_since: '1990-02-03' },
  ...{ free_and_clear: true, owner_birth_year: 1940, vacant: true },
  ...{ probate_filed_on: today(), foreclosure_notice_on: today() },
  ...{ tax_delinquent_years: 2, open_code_violations: 3 },
});

async function stored(id: string) {
  const [row] = await records.db.select().from(parcels).where(eq(parcels.id, id));
  return row!;
}

test('an address is enough: nothing else is known, and the score is 0', async () => {
  const parcel = await saveParcel(records.db, place());
  expect(await stored(parcel.id)).toEqual(parcel);
  expect(parcel).toMatchObject({
    ...{ houseNumber: '1204', streetKey: 'ALDERCREEK LN', state: 'TX', location: null },
    ...{ score: 0, leadTypes: [], scoredOn: today(), ownerOccupied: true, ownerName: '' },
  });
});

test('keeps every field, and the score and lead types that they come to today', async () => {
  const given = everything();
  expect(Object.keys(given).sort()).toEqual([...PARCEL_FIELDS].sort());
  const parcel = await saveParcel(records.db, given);
  expect(await stored(parcel.id)).toEqual(parcel);
  expect(parcel).toMatchObject({
    ...{ location: { lng: -96.912345, lat: 33.123456 }, mailingState: 'OK' },
    ...{ ownedSince: '1990-02-03', taxDelinquentYears: 2, ownerOccupied: false },
  });
  const { score, reasons } = evaluate(signalsOf(parcel), today());
  expect(parcel).toMatchObject({ score, leadTypes: reasons.map(({ type }) => type) });
  expect(parcel.leadTypes).toContain('probate');
});

test('what is not given stays, null makes it unknown, and the score follows', async () => {
  const given = everything();
  const before = await saveParcel(records.db, given);
  const { county, account_num, city, zip } = given;
  const key = { county, account_num, city, zip };
  const moved = await saveParcel(records.db, { ...key, address: '7 N Elm Street' });
  expect(moved).toEqual({
    ...{ ...before, address: '7 N Elm Street', houseNumber: '7', streetKey: 'N ELM ST' },
  });
  const cleared = await saveParcel(records.db, {
    ...{ ...key, address: 'No number' },
    ...{ lng: null, lat: null, probate_filed_on: null, owner_name: null, vacant: null },
    ...{ tax_delinquent_years: null },
  });
  expect(await stored(before.id)).toEqual(cleared);
  expect(cleared).toMatchObject({
    ...{ location: null, probateFiledOn: null, ownerName: '', vacant: false },
    ...{ taxDelinquentYears: 0, houseNumber: null, streetKey: null, mailingState: 'OK' },
  });
  expect(cleared.leadTypes).toEqual(
    before.leadTypes.filter((type) => !['probate', 'vacant', 'tax-delinquent'].includes(type)),
  );
});

test('takes values as text: of a cell, or of an option', async () => {
  const parcel = await saveParcel(records.db, {
    ...{ ...place(), vacant: 'YES', owner_occupied: '0', lng: '-96.5', lat: '33' },
    ...{ tax_delinquent_years: '4', owner_birth_year: '1940', mailing_state: 'ok' },
    ...{ owned_since: '2001-02-03', mailing_address: '1 Elm St\r\nTulsa, OK' },
  });
  expect(parcel).toMatchObject({
    ...{ vacant: true, ownerOccupied: false, location: { lng: -96.5, lat: 33 } },
    ...{ taxDelinquentYears: 4, ownerBirthYear: 1940, mailingState: 'OK' },
    mailingAddress: '1 Elm St, Tulsa, OK',
  });
});

describe('a fault names its field and writes nothing', () => {
  const faults: [string, unknown][] = [
    ['county', 'Maple County'],
    ['account_num', ''],
    ['account_num', 'a:b'],
    ['account_num', '.'],
    ['account_num', '..'],
    ['account_num', '-.-'],
    ['address', '  '],
    ['city', undefined],
    ['zip', '7501'],
    ['state', 'Texas'],
    ['lng', 181],
    ['lat', '91'],
    ['lat', '1e1'],
    ['owner_name', 'x'.repeat(201)],
    ['owner_name', 'a\u0000b'],
    ['owner_name', 'a\u2028b'],
    ['owner_name', 'a\u202Eb'],
    ['mailing_address', '1 Elm St\u2029Tulsa'],
    ['address', '1 Elm\u2066 St'],
    ['city', 'Mill\u200Fbrook'],
    ['mailing_state', 'ZZ'],
    ['owner_occupied', 'maybe'],
    ['owned_since', '02/03/2001'],
    ['owned_since', '2023-02-29'],
    ['free_and_clear', 2],
    ['owner_birth_year', 40],
    ['vacant', ''],
    ['probate_filed_on', '20240102'],
    ['foreclosure_notice_on', '1066-10-14'],
    ['tax_delinquent_years', -1],
    ['tax_delinquent_years', '1.5'],
    ['open_code_violations', 1000],
    ['score', 99],
  ];
  test.each(faults)('%s: %j', async (field, value) => {
    const given = { ...everything(), [field]: value };
    await expect(saveParcel(records.db, given)).rejects.toMatchObject({
      ...{ code: 'bad_request', field },
    });
  });

  test('a longitude without a latitude', async () => {
    await expect(saveParcel(records.db, { ...place(), lng: -96 })).rejects.toMatchObject({
      ...{ code: 'bad_request', field: 'lat', message: 'lat: is needed beside lng.' },
    });
    await expect(saveParcel(records.db, { ...place(), lng: null, lat: 3 })).rejects.toMatchObject({
      field: 'lng',
    });
  });
});
