import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { searches } from '../../drizzle/schema.ts';
import { createSearch } from '../../src/searches/create-search.ts';
import {
  checkCriteria,
  describeCriteria,
  parseCriteria,
  planNeeded,
} from '../../src/searches/criteria.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

const FULL = {
  counties: ['maple', 'cedar'],
  cities: ['Millbrook'],
  zips: ['75010', '75011-1234'],
  lead_types: ['probate', 'vacant'],
  min_score: 60,
  owned_for_years: 10,
};

test('criteria are kept as they are, without repetitions', () => {
  expect(checkCriteria(FULL)).toEqual(FULL);
  expect(checkCriteria({ counties: ['maple', 'maple'], min_score: 1 })).toEqual({
    counties: ['maple'],
    min_score: 1,
  });
  expect(parseCriteria(JSON.parse(JSON.stringify(FULL)))).toEqual(FULL);
});

const WRONG: [string, unknown][] = [
  ['counties', undefined],
  ['counties', []],
  ['counties', Array.from({ length: 21 }, (_, i) => `c${i}`)],
  ['counties', 'maple'],
  ['counties.0', ['Maple County']],
  ['cities', []],
  ['cities.0', ['']],
  ['zips.1', ['75010', '7501']],
  ['lead_types', []],
  ['lead_types.0', ['haunted']],
  ['min_score', 101],
  ['min_score', -1],
  ['min_score', 40.5],
  ['min_score', '40'],
  ['owned_for_years', 0],
  ['owned_for_years', 101],
  ['max_results', 10],
];

describe('criteria that are not understood', () => {
  test.each(WRONG)('%s: %j', (field, value) => {
    const name = field.split('.')[0] ?? '';
    const criteria = { ...FULL, [name]: value };
    expect(() => checkCriteria(criteria)).toThrow(
      expect.objectContaining({ code: 'bad_request', field }) as Error,
    );
    expect(parseCriteria(criteria)).toBeUndefined();
  });

  test.each([null, undefined, 'maple', 7, [], {}])('%j', (criteria) => {
    expect(parseCriteria(criteria)).toBeUndefined();
  });
});

test.each([
  [{ counties: ['maple'], zips: ['75010'] }, 'free'],
  [{ counties: ['maple'], min_score: 80, owned_for_years: 20 }, 'free'],
  [{ counties: ['maple'], lead_types: ['absentee-owner'] }, 'free'],
  [{ counties: ['maple'], lead_types: ['absentee-owner', 'vacant'] }, 'pro'],
  [{ counties: ['maple'], lead_types: ['probate', 'absentee-owner'] }, 'elite'],
])('%j needs the plan %s', (criteria, plan) => {
  expect(planNeeded(checkCriteria(criteria))).toBe(plan);
});

test.each([
  [{ counties: ['maple'], min_score: 1 }, 'All parcels in maple; score 1 or more'],
  [{ counties: ['maple', 'cedar'], lead_types: ['probate'] }, 'Probate in maple or cedar'],
  [
    FULL,
    'Probate or Vacant in Millbrook, maple or cedar; ZIP 75010 or 75011-1234; score 60 or more; owned for 10 years or more',
  ],
  [{ counties: ['a', 'b', 'c', 'd', 'e'], lead_types: ['vacant'] }, 'Vacant in a, b, c, d or e'],
  [
    { counties: ['a', 'b', 'c', 'd', 'e', 'f'], lead_types: ['vacant'] },
    'Vacant in a, b, c, d or 2 more',
  ],
  [{ counties: ['a'], owned_for_years: 1 }, 'All parcels in a; owned for 1 year or more'],
])('%j reads as a label', (criteria, label) => {
  expect(describeCriteria(checkCriteria(criteria))).toBe(label);
});

describe('saving one', () => {
  let records: TestRecords;
  beforeAll(async () => void (records = await createTestRecords()));
  afterAll(() => records.close());

  test('is of the account, with its criteria; wrong ones are not saved', async () => {
    const { db } = records;
    const { id: accountId } = await records.newAccount();
    const search = await createSearch(db, { accountId, name: ' Heirs ', criteria: FULL });
    expect(search).toMatchObject({ accountId, name: 'Heirs', criteria: FULL });
    const wrong = { accountId, name: 'x', criteria: { ...FULL, zips: ['?'] } };
    await expect(createSearch(db, wrong)).rejects.toMatchObject({ field: 'zips.0' });
    await expect(createSearch(db, { accountId, name: '', criteria: FULL })).rejects.toMatchObject({
      code: 'bad_request',
      field: 'name',
    });
    await expect(
      createSearch(db, { accountId: 'acct_none', name: 'x', criteria: FULL }),
    ).rejects.toMatchObject({ code: 'not_found' });
    const saved = await db.select().from(searches).where(eq(searches.accountId, accountId));
    expect(saved).toEqual([search]);
  });
});
