import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deals } from '../../drizzle/schema.ts';
import { createDeal } from '../../src/deals/create-deal.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { DEAL_MOVES, DEAL_STATUSES } from '../../src/domain/deal-status.ts';
import { dealEventsOf } from '../support/deal-events.ts';
import { createTestRecords, TEST_PARCEL, type TestRecords } from '../support/records.ts';

let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

const eventsOf = (accountId: string) => dealEventsOf(records.db, accountId);

async function newDeal() {
  const { id: accountId } = await records.newAccount();
  const { id: dealId } = await records.newDeal(accountId);
  const move = (to: string, more: { changes?: unknown; actuals?: unknown } = {}) =>
    moveDeal(records.context, { accountId, dealId, to, ...more });
  return { accountId, dealId, move };
}

test('a new deal is at NEW and says so, with from_status null (spec §3.1)', async () => {
  const { accountId, dealId } = await newDeal();
  const [event] = await eventsOf(accountId);
  expect(event).toMatchObject({
    type: 'deal.status_changed',
    user_id: accountId,
    data: {
      deal_id: dealId,
      parcel_id: TEST_PARCEL,
      address: '12 Alder Ct, Millbrook, TX 75010',
      from_status: null,
      to_status: 'NEW',
      money: {},
      deal_url: `https://app.example.com/deals/${dealId}`,
    },
  });
});

test('a move carries the full current state, not only what changed (spec §2.1, §6.2)', async () => {
  const { accountId, move } = await newDeal();
  await move('OFFER_SENT', { changes: { offer_date: '2026-02-01', est_fee_cents: 500_000 } });
  await move('UNDER_CONTRACT', { changes: { contract_price_cents: 9_900_000 } });
  const last = (await eventsOf(accountId)).at(-1);
  expect(last?.data).toMatchObject({
    from_status: 'OFFER_SENT',
    to_status: 'UNDER_CONTRACT',
    offer_date: '2026-02-01',
    money: { contract_price: 9_900_000, est_fee: 500_000 },
  });
});

test('closing with actuals sends deal.closed beside deal.status_changed (spec §2.6, §3.1)', async () => {
  const { accountId, move } = await newDeal();
  await move('UNDER_CONTRACT', { changes: { contract_price_cents: 9_900_000 } });
  await move('CLOSED', { actuals: { actual_fee_cents: 700_000, actual_profit_cents: -1 } });
  const [changed, closed] = (await eventsOf(accountId)).slice(-2);
  expect([changed?.type, closed?.type]).toEqual(['deal.status_changed', 'deal.closed']);
  expect(closed?.data).toMatchObject({
    from_status: 'UNDER_CONTRACT',
    to_status: 'CLOSED',
    money: { contract_price: 9_900_000, actual_fee: 700_000 },
    actual_fee_cents: 700_000,
    actual_sale_price_cents: null,
    actual_profit_cents: -1,
    contract_price_cents: 9_900_000,
  });
  expect((closed?.created_at ?? '') > (changed?.created_at ?? '')).toBe(true);
});

test('closing without actuals sends deal.status_changed only', async () => {
  const { accountId, move } = await newDeal();
  await move('UNDER_CONTRACT');
  await move('CLOSED');
  const types = (await eventsOf(accountId)).map((event) => event.type);
  expect(types).not.toContain('deal.closed');
});

describe('every pair of stages', () => {
  test.each(DEAL_STATUSES.flatMap((from) => DEAL_STATUSES.map((to) => [from, to] as const)))(
    '%s → %s',
    async (from, to) => {
      const { accountId, dealId, move } = await newDeal();
      const closedAt = from === 'CLOSED' ? new Date().toISOString() : null;
      await records.db.update(deals).set({ status: from, closedAt }).where(eq(deals.id, dealId));
      const before = await eventsOf(accountId);
      if (DEAL_MOVES[from].includes(to)) {
        expect(await move(to)).toMatchObject({ status: to });
        expect((await eventsOf(accountId)).at(-1)?.data).toMatchObject({
          ...{ from_status: from, to_status: to },
        });
      } else {
        await expect(move(to)).rejects.toMatchObject({ code: 'conflict' });
        const [row] = await records.db.select().from(deals).where(eq(deals.id, dealId));
        expect(row?.status).toBe(from);
        expect(await eventsOf(accountId)).toEqual(before);
      }
    },
  );
});

test.each([
  ['status', 'SOLD', {}],
  ['offer_date', 'CONTACTED', { changes: { offer_date: 'soon' } }],
  ['offer_date', 'CONTACTED', { changes: { offer_date: '0000-01-01' } }],
  ['earnest_cents', 'CONTACTED', { changes: { earnest_cents: 1.5 } }],
  ['earnest_cents', 'CONTACTED', { changes: { earnest_cents: '-1' } }],
  ['account_id', 'CONTACTED', { changes: { account_id: 'acct_other' } }],
  ['dead_reason', 'CONTACTED', { changes: { dead_reason: 'sold_elsewhere' } }],
  ['actual_fee_cents', 'CONTACTED', { actuals: { actual_fee_cents: 1 } }],
  ['actual_fee_cents', 'CLOSED', { actuals: { actual_fee_cents: 'much' } }],
])('a wrong %s is refused by its name and nothing is written', async (field, to, more) => {
  const { accountId, dealId, move } = await newDeal();
  await expect(move(to, more)).rejects.toMatchObject({ code: 'bad_request', field });
  const [row] = await records.db.select().from(deals).where(eq(deals.id, dealId));
  expect(row?.status).toBe('NEW');
  expect(await eventsOf(accountId)).toHaveLength(1);
});

test('a new deal has no reason to be dead', async () => {
  const { id: accountId } = await records.newAccount();
  const input = { accountId, parcelId: TEST_PARCEL, changes: { dead_reason: 'sold_elsewhere' } };
  const created = createDeal(records.context, input);
  await expect(created).rejects.toMatchObject({ code: 'bad_request', field: 'dead_reason' });
  expect(await eventsOf(accountId)).toEqual([]);
});

test('an unknown parcel is refused and nothing is written', async () => {
  const { id: accountId } = await records.newAccount();
  const created = createDeal(records.context, { accountId, parcelId: 'maple:none' });
  await expect(created).rejects.toMatchObject({ code: 'bad_request', field: 'parcel' });
  expect(await eventsOf(accountId)).toEqual([]);
});

test("another account's deal is not found, exactly like one that does not exist", async () => {
  const { dealId } = await newDeal();
  const { id: accountId } = await records.newAccount();
  const refusal = (id: string) =>
    moveDeal(records.context, { accountId, dealId: id, to: 'CONTACTED' }).catch(
      (error: unknown) => error as Error,
    );
  expect(await refusal(dealId)).toEqual(await refusal('deal_none'));
});

test('moves of one deal at once take turns: created_at follows the order of the states (spec §6.2)', async () => {
  const { accountId, move } = await newDeal();
  const wishes = Array.from({ length: 60 }, (_, i) => (i % 2 ? 'CONTACTED' : 'OFFER_SENT'));
  const results = await Promise.allSettled(wishes.map((to) => move(to)));
  const moved = results.filter((result) => result.status === 'fulfilled').length;
  const told = await eventsOf(accountId);
  expect(moved).toBeGreaterThan(1);
  expect(told).toHaveLength(moved + 1);
  for (const [i, event] of told.slice(1).entries()) {
    expect(event.data.from_status).toBe(told[i]?.data.to_status);
    expect(event.created_at > (told[i]?.created_at ?? '')).toBe(true);
  }
});
