import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeal } from '../../src/deals/create-deal.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { DEAL_STATUSES } from '../../src/domain/deal-status.ts';
import { TEST_PARCEL } from '../support/records.ts';
import { errorOf, startContract, type Caller, type Contract, type Json } from './contract.ts';

/* GET /v1/deals and /v1/deals/:deal_id (spec §§2.5, 4.4). */
let contract: Contract;

beforeAll(async () => {
  contract = await startContract();
});
afterAll(() => contract.close());

interface Deals {
  deals: ({ deal_id: string; status: string } & Json)[];
  total: number;
  limit: number;
  offset: number;
}

const newDeal = ({ accountId }: Caller, changes = {}) =>
  createDeal(contract.records.context, { accountId, parcelId: TEST_PARCEL, changes });
const ids = (page: Deals) => page.deals.map(({ deal_id: id }) => id);

/** The last activity of a deal, as the test wants it. */
const touch = (dealId: string, at: string) =>
  contract.records.database.sql`
    update deals set last_activity_at = ${at} where id = ${dealId}`;

describe('a deal (spec §2.5)', () => {
  const dates = {
    ...{ next_action_due: '2026-03-01', offer_date: '2026-03-02', effective_date: '2026-03-03' },
    ...{ option_end_date: '2026-03-04', closing_date: '2028-02-29' },
  };
  const texts = {
    ...{ sub_state: 'researching', exit_strategy: 'assigned', note: 'Two\nlines “ü”' },
    ...{ next_action: 'Call', buyer_name: 'B', buyer_phone: '+17135550100' },
    ...{ buyer_email: 'b@example.com', title_company: 'T' },
  };

  it('has every field, as it was given', async () => {
    const caller = await contract.newCaller();
    const cents = { contract_price_cents: 14_250_000, earnest_cents: 0, est_fee_cents: 1 };
    const { id } = await newDeal(caller, { ...dates, ...texts, ...cents });
    const { deal } = await caller.ok<{ deal: Json }>(`/v1/deals/${id}`);
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/) as unknown;
    expect(deal).toStrictEqual({
      ...{ deal_id: id, parcel_id: TEST_PARCEL, county: 'maple', account_num: '1' },
      ...{ address: '12 Alder Ct, Millbrook, TX 75010', city: 'Millbrook', zip: '75010' },
      ...{ status: 'NEW', dead_reason: null, created_via: 'manual', ...dates, ...texts },
      money: { contract_price: 14_250_000, earnest: 0, est_fee: 1 },
      ...{ stage_entered_at: moment, last_activity_at: moment },
      ...{ created_at: moment, updated_at: moment },
      deal_url: `https://app.example.com/deals/${id}`,
    });
    expect(await caller.ok('/v1/deals')).toStrictEqual({
      ...{ deals: [deal], total: 1, limit: 25, offset: 0 },
    });
  });

  it('what is not known is null, and amounts that are not known are left out', async () => {
    const caller = await contract.newCaller();
    const { id } = await newDeal(caller);
    const { deal } = await caller.ok<{ deal: Json }>(`/v1/deals/${id}`);
    const nullable = [...Object.keys({ ...dates, ...texts }), 'dead_reason'];
    for (const name of nullable.filter((field) => field !== 'exit_strategy')) {
      expect(deal).toHaveProperty(name, null);
    }
    expect(deal).toMatchObject({ exit_strategy: 'undecided', money: {} });
  });

  it('money holds the actual fee once closed, the estimate before (spec §2.3)', async () => {
    const caller = await contract.newCaller();
    const { context } = contract.records;
    const { id } = await newDeal(caller, { est_fee_cents: 5, earnest_cents: 2 });
    const move = (to: string, more = {}) =>
      moveDeal(context, { accountId: caller.accountId, dealId: id, to, ...more });
    await move('UNDER_CONTRACT');
    await move('CLOSED', { actuals: { actual_fee_cents: 7 } });
    const { deal } = await caller.ok<{ deal: Json }>(`/v1/deals/${id}`);
    expect(deal).toMatchObject({ status: 'CLOSED' });
    expect(deal['money']).toStrictEqual({ earnest: 2, actual_fee: 7 });
  });

  it('404 for one that is not there', async () => {
    const { get } = await contract.newCaller();
    const error = errorOf(await get('/v1/deals/deal_none'));
    expect(error).toEqual({ status: 404, error: 'not_found', message: 'No such deal.' });
  });
});

describe('status (spec §4.4)', () => {
  it('only deals at that stage', async () => {
    const caller = await contract.newCaller();
    const { accountId } = caller;
    const { context } = contract.records;
    const deals = new Map<string, string>();
    for (const status of DEAL_STATUSES) {
      const { id: dealId } = await newDeal(caller);
      deals.set(status, dealId);
      const via = ['CLOSED', 'TERMINATED'].includes(status) ? ['UNDER_CONTRACT', status] : [status];
      for (const to of via.filter((stage) => stage !== 'NEW')) {
        await moveDeal(context, { accountId, dealId, to });
      }
    }
    for (const status of DEAL_STATUSES) {
      const page = await caller.ok<Deals>(`/v1/deals?status=${status}`);
      expect(page).toMatchObject({ total: 1, deals: [{ status }] });
      expect(ids(page)).toEqual([deals.get(status)]);
    }
    expect((await caller.ok<Deals>('/v1/deals')).total).toBe(DEAL_STATUSES.length);
  });

  it.each(['new', 'OPEN', ''])('400 for status=%s', async (status) => {
    const { get } = await contract.newCaller();
    expect(errorOf(await get(`/v1/deals?status=${status}`))).toEqual({
      ...{ status: 400, error: 'bad_request' },
      message: `status: must be one of ${DEAL_STATUSES.join(', ')}, not "${status}".`,
    });
  });
});

describe('order and updated_since (spec §4.4)', () => {
  let caller: Caller;
  let first: string, second: string, third: string;

  beforeAll(async () => {
    caller = await contract.newCaller();
    [first, second, third] = [
      (await newDeal(caller)).id,
      (await newDeal(caller)).id,
      (await newDeal(caller)).id,
    ];
    await touch(first, '2026-02-03T04:05:06.000002Z');
    await touch(second, '2026-02-03T04:05:06.000003Z');
    await touch(third, '2026-02-03T04:05:06.000001Z');
  });

  it('newest activity first, to the microsecond', async () => {
    expect(ids(await caller.ok<Deals>('/v1/deals'))).toEqual([second, first, third]);
  });

  it.each([
    ['2026-02-03T04:05:06.000001Z', 3],
    ['2026-02-03T04:05:06.000002Z', 2],
    ['2026-02-03T04:05:06.000003Z', 1],
    ['2026-02-03T04:05:06.000004Z', 0],
    ['2026-02-03T04:05:06Z', 3],
    ['2026-02-03', 3],
    ['2026-02-04', 0],
    ['2026-02-03T04:05Z', 3],
    ['2026-02-03T04:06Z', 0],
    ['2026-02-02T23:05:06.000003-0500', 1],
    ['2026-02-03T06:05:06.000002%2B02:00', 2],
    ['2026-02-02T23:05:06.000003-05:00', 1],
    ['2026-02-03T04:05:07Z', 0],
    ['0001-01-01T00:00:00Z', 3],
    ['0001-01-01T00:00:00%2B15:59', 3],
    ['9999-12-31T23:59:59.999999-15:59', 0],
  ])('at or after %s: %i', async (since, total) => {
    const page = await caller.ok<Deals>(`/v1/deals?updated_since=${since}`);
    expect(page.total).toBe(total);
    expect(ids(page)).toEqual([second, first, third].slice(0, total));
  });

  it('a deal that moves comes to the front, and is found by its own last_activity_at', async () => {
    const { accountId } = caller;
    await moveDeal(contract.records.context, { accountId, dealId: third, to: 'DEAD' });
    const page = await caller.ok<Deals>('/v1/deals');
    expect(ids(page)).toEqual([third, second, first]);
    const at = String(page.deals[0]?.['last_activity_at']);
    expect(ids(await caller.ok<Deals>(`/v1/deals?updated_since=${at}`))).toEqual([third]);
  });

  it.each([
    ...['yesterday', '', '1770091506', '2026-02-30T00:00:00Z', '2026-02-03T24:00:00Z'],
    ...['2026-02-03T04:05:06', '0000-01-01T00:00:00Z', '2026-02-03T04:05:06+02:00'],
    ...[
      '2026-02-03T04:05:06%2B16:00',
      '20260203T040506Z',
      '2026-02-03T04:05:60Z',
      'infinity',
      'now',
    ],
  ])('400 for updated_since=%s', async (since) => {
    const error = errorOf(await caller.get(`/v1/deals?updated_since=${since}`));
    expect(error).toMatchObject({ status: 400, error: 'bad_request' });
    expect(error['message']).toMatch(
      /^updated_since: must be a time such as 2026-01-31T16:00:00Z, or a day such as 2026-01-31, not ".*"\.$/,
    );
  });
});

it('limit and offset, 1 to 100, 25 by default (spec §§4.4, 8)', async () => {
  const caller = await contract.newCaller();
  for (let i = 0; i < 27; i += 1) await newDeal(caller);
  expect((await caller.ok<Deals>('/v1/deals')).deals).toHaveLength(25);
  const all = await caller.ok<Deals>('/v1/deals?limit=100');
  expect(all).toMatchObject({ total: 27, limit: 100, offset: 0 });
  const rest = await caller.ok<Deals>('/v1/deals?limit=2&offset=25');
  expect(rest).toMatchObject({ total: 27, limit: 2, offset: 25 });
  expect(ids(rest)).toEqual(ids(all).slice(25));
  expect(await caller.ok('/v1/deals?offset=27')).toMatchObject({ deals: [], total: 27 });
  for (const query of ['limit=0', 'limit=101', 'offset=-1', 'limit=a']) {
    expect(errorOf(await caller.get(`/v1/deals?${query}`))).toMatchObject({ status: 400 });
  }
});
