import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEAD_TYPE_IDS, LEAD_TYPES } from '../../src/domain/lead-type.ts';
import { createList } from '../../src/lists/create-list.ts';
import { createSearch } from '../../src/searches/create-search.ts';
import { errorOf, startContract, type Caller, type Contract } from './contract.ts';
import { insertSkipTrace, saveMixedParcel } from './data.ts';

/* What each plan sees of a lead with signals of every plan (spec §§2.2, 7.1). */
let contract: Contract;
let pro: Caller;
let elite: Caller;

interface Lead {
  score: number;
  lead_types: string[];
  why: string;
  crm_note: string;
  contacts: unknown;
}

beforeAll(async () => {
  contract = await startContract();
  await saveMixedParcel(contract.records.db, 'ash', '1');
  [pro, elite] = [await contract.newCaller('pro'), await contract.newCaller('elite')];
});
afterAll(() => contract.close());

const leadOf = async ({ ok }: Caller) => (await ok<{ lead: Lead }>('/v1/leads/ash/1')).lead;

const newSearch = ({ accountId }: Caller, types?: string[]) =>
  createSearch(contract.records.db, {
    ...{ accountId, name: 'S' },
    criteria: { counties: ['ash'], min_score: 1, ...(types && { lead_types: types }) },
  });

describe('lead types above the plan are left out (spec §2.2)', () => {
  it('elite sees all of them', async () => {
    const lead = await leadOf(elite);
    expect(lead.lead_types).toEqual(['probate', 'tax-delinquent', 'absentee-owner']);
    expect(lead.why).toMatch(/^Probate .*; property tax .*; the owner lives elsewhere$/);
    expect(lead.crm_note).toContain('| Probate, Tax delinquent, Absentee owner |');
  });

  it('pro does not: in lead_types, why and crm_note alike; the score stays', async () => {
    const lead = await leadOf(pro);
    expect(lead.lead_types).toEqual(['tax-delinquent', 'absentee-owner']);
    expect(lead.why).toBe('Property tax unpaid for 2 years; the owner lives elsewhere');
    expect(lead.crm_note).toContain(`65 Warm | Tax delinquent, Absentee owner | ${lead.why} |`);
    expect(JSON.stringify(lead).toLowerCase()).not.toContain('probate');
    expect(lead.score).toBe((await leadOf(elite)).score);
  });

  it('the same in a list, a search without types, and the lookup', async () => {
    const { accountId } = pro;
    const parcelIds = ['ash:1'];
    const list = await createList(contract.records.db, { accountId, name: 'L', parcelIds });
    const search = await newSearch(pro);
    const expected = (await leadOf(pro)).lead_types;
    for (const path of [
      ...[`/v1/leads?list_id=${list.id}`, `/v1/leads?search_id=${search.id}`],
      '/v1/leads/lookup?address=7+Birch+Rd',
    ]) {
      const { leads } = await pro.ok<{ leads: Lead[] }>(path);
      expect(leads.map(({ lead_types }) => lead_types)).toEqual([expected]);
      expect(JSON.stringify(leads).toLowerCase()).not.toContain('probate');
    }
  });
});

describe('asking for what is above the plan is 403 upgrade_required (spec §7.1)', () => {
  const above = LEAD_TYPE_IDS.filter((type) => LEAD_TYPES[type].plan === 'elite');

  it.each(above)('pro, lead_type=%s', async (type) => {
    const search = await newSearch(pro);
    const path = `/v1/leads?search_id=${search.id}&lead_type=${type}`;
    expect(errorOf(await pro.get(path))).toEqual({
      ...{ status: 403, error: 'upgrade_required', required_plan: 'elite' },
      message: `lead_type: ${type} is part of the elite plan.`,
    });
  });

  it.each(above)('pro, a search for %s', async (type) => {
    const search = await newSearch(pro, ['vacant', type]);
    expect(errorOf(await pro.get(`/v1/leads?search_id=${search.id}`))).toEqual({
      ...{ status: 403, error: 'upgrade_required', required_plan: 'elite' },
      message: 'This search uses lead types of the elite plan.',
    });
  });

  it.each(LEAD_TYPE_IDS.filter((type) => !above.includes(type)))(
    'pro may ask for %s',
    async (type) => {
      const search = await newSearch(pro, [type]);
      await pro.ok(`/v1/leads?search_id=${search.id}&lead_type=${type}`);
    },
  );

  it('elite may ask for all', async () => {
    const search = await newSearch(elite, [...LEAD_TYPE_IDS]);
    for (const type of LEAD_TYPE_IDS) {
      await elite.ok(`/v1/leads?search_id=${search.id}&lead_type=${type}`);
    }
  });

  it('a change of plan takes effect at the next request', async () => {
    const caller = await contract.newCaller('elite');
    const search = await newSearch(caller, ['probate']);
    const path = `/v1/leads?search_id=${search.id}`;
    const { database } = contract.records;
    const setPlan = (plan: string) =>
      database.sql`update accounts set plan = ${plan} where id = ${caller.accountId}`;
    await caller.ok(path);
    await setPlan('pro');
    expect(errorOf(await caller.get(path))).toMatchObject({ error: 'upgrade_required' });
    await setPlan('free');
    expect(errorOf(await caller.get(path))).toMatchObject({ status: 403, error: 'pro_required' });
    await setPlan('elite');
    await caller.ok(path);
  });
});

it.each(['pro', 'elite'] as const)('%s carries purchased contacts (spec §6.2)', async (plan) => {
  const caller = await contract.newCaller(plan);
  const order = { accountId: caller.accountId, parcelId: 'ash:1' };
  await insertSkipTrace(contract.records.db, { ...order, fulfilledAt: '2026-02-03T00:00:00Z' });
  expect((await leadOf(caller)).contacts).toMatchObject({ email_primary: 'ada@example.com' });
});
