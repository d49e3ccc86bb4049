import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveParcel } from '../../src/parcels/parcels.ts';
import { errorOf, startContract, type Caller, type Contract, type Json } from './contract.ts';
import { insertSkipTrace } from './data.ts';

/* GET /v1/leads/lookup: exactly one parcel at a house number and street (spec §4.3, rule 5). */
let contract: Contract;
let caller: Caller;

const PARCELS: [accountNum: string, address: string, city?: string, zip?: string][] = [
  ['alone', '1204 Alder Creek Lane'],
  ['north', '31 North Fifth Street'],
  ['condo-1', '500 Main St Apt 1'],
  ['condo-2', '500 Main St Apt 2'],
  ['one-unit', '502 Main St Unit B'],
  ['mill', '9 Pine Ave', 'Millbrook', '75010'],
  ['oak', '9 Pine Avenue', 'Oakdale', '75020'],
  ['oak-unit', '9 Pine Ave Ste 4', 'Oakdale', '75021'],
  ['plus-four', '77 Elm Ct', 'Millbrook', '75010-1234'],
  ['ranch-road', '7301 N RM 620'],
  ['county-road', '100 County Road #305'],
  ['louis', '8 Birch Way', 'St. Louis', '75030'],
];

beforeAll(async () => {
  contract = await startContract();
  caller = await contract.newCaller();
  for (const [account_num, address, city = 'Millbrook', zip = '75010'] of PARCELS) {
    await saveParcel(contract.records.db, { county: 'ash', account_num, address, city, zip });
  }
});
afterAll(() => contract.close());

async function lookUp(place: Record<string, string>): Promise<string[]> {
  const query = new URLSearchParams(place);
  const body = await caller.ok<{ leads: { account_num: string }[] }>(`/v1/leads/lookup?${query}`);
  expect(Object.keys(body)).toEqual(['leads']);
  return body.leads.map(({ account_num }) => account_num);
}

describe('one parcel', () => {
  it.each([
    ...[
      '1204 Alder Creek Ln',
      '1204 alder creek lane',
      '1204 ALDER CREEK LN.',
      '1204 Aldercreek Ln',
    ],
    ...['1204 Alder Creek Ln Apt 3', '1204 Alder Creek Ln #3', 'Unit 3, 1204 Alder Creek Ln'],
    ...['1204 Alder Creek Ln, Millbrook, TX 75010', '  1204  Alder   Creek  Ln  '],
    ...[
      '1204 Alder Creek Ln, TX',
      '1204 Alder Creek Ln, 75010-9999',
      '1204 Alder Creek Ln, MILLBROOK',
    ],
    ...[
      '1204 Alder Creek Ln, Apt 3, Millbrook, Texas, USA',
      '1204 Alder Creek Ln\nMillbrook TX 75010',
    ],
  ])('is found by "%s"', async (address) => {
    expect(await lookUp({ address })).toEqual(['alone']);
  });

  it.each(['31 N 5th St', '31 N. Fifth St', '31 North 5th Street', '31 n fifth street'])(
    'is found by "%s"',
    async (address) => {
      expect(await lookUp({ address })).toEqual(['north']);
    },
  );

  it('which is a unit, alone at its number', async () => {
    expect(await lookUp({ address: '502 Main St' })).toEqual(['one-unit']);
    expect(await lookUp({ address: '502 Main Street, Unit B' })).toEqual(['one-unit']);
  });

  it('has the fields of a lead and no contacts, though they were bought', async () => {
    const order = { accountId: caller.accountId, parcelId: 'ash:alone' };
    await insertSkipTrace(contract.records.db, { ...order, fulfilledAt: '2026-02-03T00:00:00Z' });
    const path = '/v1/leads/lookup?address=1204+Alder+Creek+Ln';
    const { leads } = await caller.ok<{ leads: Json[] }>(path);
    const { lead } = await caller.ok<{ lead: Json }>('/v1/leads/ash/alone');
    const { contacts, ...others } = lead;
    expect(contacts).not.toBeNull();
    expect(leads).toStrictEqual([others]);
  });
});

describe('no match', () => {
  it.each([
    ...['1206 Alder Creek Ln', '1204 Alder Creek Dr', '1204 Alder Ln', '1204 N Alder Creek Ln'],
    ...[
      '31 5th St',
      '7301 N RM 2222',
      '7301 N',
      '100 County Road #410',
      '1204 Alder Creek Ln, Ridgemont, TX 75010',
      '1204 Alder Creek Ln, Ridgemont',
      '1204 Alder Creek Ln, Millbrook, OK 75010',
      '1204 Alder Creek Ln, OK',
      '1204 Alder Creek Ln, FL 33101',
      '1204 Alder Creek Ln, Millbrook, TX 75999',
      '1204 Alder Creek Ln, 75999',
      '1204 Alder Creek Ln 75999',
      '31 S 5th St',
      'Alder Creek Ln',
      '1204',
      'PO Box 1204',
      '%',
      '_',
      "' or 1=1 --",
    ],
  ])('"%s" is an empty array', async (address) => {
    expect(await lookUp({ address })).toEqual([]);
  });
});

describe('several parcels', () => {
  it('a building with several units is an empty array, with and without the unit', async () => {
    expect(await lookUp({ address: '500 Main St' })).toEqual([]);
    expect(await lookUp({ address: '500 Main St Apt 1' })).toEqual([]);
    expect(await lookUp({ address: '500 Main St', city: 'Millbrook', zip: '75010' })).toEqual([]);
  });

  it('the same street in several cities needs the city or the ZIP code', async () => {
    const address = '9 Pine Ave';
    expect(await lookUp({ address })).toEqual([]);
    expect(await lookUp({ address, city: 'Millbrook' })).toEqual(['mill']);
    expect(await lookUp({ address, city: ' millBROOK ' })).toEqual(['mill']);
    expect(await lookUp({ address, zip: '75010' })).toEqual(['mill']);
    expect(await lookUp({ address, zip: '75020' })).toEqual(['oak']);
    expect(await lookUp({ address, city: 'Oakdale' })).toEqual([]);
    expect(await lookUp({ address, city: 'Oakdale', zip: '75021' })).toEqual(['oak-unit']);
    expect(await lookUp({ address, city: 'Millbrook', zip: '75020' })).toEqual([]);
    expect(await lookUp({ address, city: 'Mill%' })).toEqual([]);
  });
});

describe('what the address says of its city, state and ZIP code', () => {
  it('finds one of several', async () => {
    expect(await lookUp({ address: '9 Pine Ave, Oakdale, TX 75021' })).toEqual(['oak-unit']);
    expect(await lookUp({ address: '9 Pine Ave, Millbrook' })).toEqual(['mill']);
    expect(await lookUp({ address: '9 Pine Ave, Unit 3, 75020-1234' })).toEqual(['oak']);
    expect(await lookUp({ address: '9 Pine Ave, Oakdale, TX' })).toEqual([]);
  });

  it('holds beside what is given: both or none', async () => {
    const address = '9 Pine Ave, Millbrook, TX 75010';
    expect(await lookUp({ address, city: 'millbrook', zip: '75010' })).toEqual(['mill']);
    expect(await lookUp({ address, city: 'Oakdale' })).toEqual([]);
    expect(await lookUp({ address, zip: '75020' })).toEqual([]);
    expect(await lookUp({ address: '9 Pine Ave, Oakdale', zip: '75021' })).toEqual(['oak-unit']);
  });

  it('a city is the same with and without dots and spaces', async () => {
    expect(await lookUp({ address: '8 Birch Way, St Louis, TX' })).toEqual(['louis']);
    expect(await lookUp({ address: '8 Birch Way', city: 'st.louis' })).toEqual(['louis']);
    expect(await lookUp({ address: '8 Birch Way', city: 'Louis' })).toEqual([]);
  });
});

it.each(['100 County Road 305', '100 CR 305', '100 Co. Rd. No. 305'])(
  'a numbered road is found by "%s"',
  async (address) => {
    expect(await lookUp({ address })).toEqual(['county-road']);
  },
);

it('a ZIP code with four more digits is that of its first five', async () => {
  expect(await lookUp({ address: '77 Elm Ct', zip: '75010' })).toEqual(['plus-four']);
  expect(await lookUp({ address: '77 Elm Ct', zip: '75010-1234' })).toEqual(['plus-four']);
  expect(await lookUp({ address: '77 Elm Ct', zip: '75011-1234' })).toEqual([]);
  expect(await lookUp({ address: '9 Pine Ave', zip: ' 75010-9999' })).toEqual(['mill']);
});

it.each([
  ['', 'address: is missing.'],
  ['city=Millbrook', 'address: is missing.'],
  ['address=', 'address: must not be empty, not "".'],
  ['address=9+Pine+Ave&zip=', 'zip: must not be empty, not "".'],
  ['address=9+Pine+Ave&city=', 'city: must not be empty, not "".'],
  [
    'address=9+Pine+Ave&state=TX',
    'There is no parameter "state" here; there are address, city, zip.',
  ],
])('400 for ?%s', async (query, message) => {
  const error = errorOf(await caller.get(`/v1/leads/lookup?${query}`));
  expect(error).toEqual({ status: 400, error: 'bad_request', message });
});
