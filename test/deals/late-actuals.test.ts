import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deals } from '../../drizzle/schema.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { updateDeal } from '../../src/deals/update-deal.ts';
import { CLOSED_FROM, DEAL_MOVES, DEAL_STATUSES } from '../../src/domain/deal-status.ts';
import { dealEventsOf } from '../support/deal-events.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

/* What a deal came to is often known days after it closed: then deal.closed is sent then (spec §3.1). */
let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

const CONTRACT = { contract_price_cents: 9_900_000, earnest_cents: 100, est_fee_cents: 500_000 };

/** A deal under contract, which `close` closes. */
async function newContract() {
  const { id: accountId } = await records.newAccount();
  const { id: dealId } = await records.newDeal(accountId);
  const which = { accountId, dealId };
  const move = (to: string, more: { changes?: unknown; actuals?: unknown } = {}) =>
    moveDeal(records.context, { ...which, to, ...more });
  await move('UNDER_CONTRACT', { changes: CONTRACT });
  return {
    move,
    close: (actuals: unknown = {}) => move('CLOSED', { actuals }),
    update: (actuals: unknown, changes: unknown = {}) =>
      updateDeal(records.context, { ...which, changes, actuals }),
    told: () => dealEventsOf(records.db, accountId),
    async row() {
      const [row] = await records.db.select().from(deals).where(eq(deals.id, dealId));
      return row!;
    },
  };
}

test('actuals given after the closing send deal.closed, once, and the stage has not moved', async () => {
  const { close, update, told, row } = await newContract();
  const closed = await close();
  const before = await told();
  const after = await update({ actual_fee_cents: 700_000, actual_profit_cents: '-1' });
  expect(after).toEqual({
    ...closed,
    ...{ actualFeeCents: 700_000, actualProfitCents: -1 },
    ...{ updatedAt: after.updatedAt, lastActivityAt: after.lastActivityAt },
  });
  expect(after.updatedAt > closed.updatedAt).toBe(true);
  expect(await row()).toEqual(after);
  const [event, ...more] = (await told()).slice(before.length);
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    type: 'deal.closed',
    data: {
      ...{ from_status: 'UNDER_CONTRACT', to_status: 'CLOSED', closed_at: closed.closedAt },
      ...{ stage_entered_at: closed.stageEnteredAt, contract_price_cents: 9_900_000 },
      money: { contract_price: 9_900_000, earnest: 100, actual_fee: 700_000 },
      ...{ actual_fee_cents: 700_000, actual_sale_price_cents: null, actual_profit_cents: -1 },
    },
  });
  expect(event!.created_at > before.at(-1)!.created_at).toBe(true);
});

test('a deal closes from one stage only, which late actuals can therefore name', () => {
  const from = DEAL_STATUSES.filter((status) => DEAL_MOVES[status].includes('CLOSED'));
  expect(from).toEqual([CLOSED_FROM]);
});

test('other fields may change with them, the price of the contract among them', async () => {
  const { close, update, told } = await newContract();
  await close();
  await update({ actual_fee_cents: 1 }, { contract_price_cents: 9_800_000, note: 'at last' });
  const [event] = (await told()).slice(-1);
  expect(event?.data).toMatchObject({
    ...{ contract_price_cents: 9_800_000, money: { contract_price: 9_800_000 } },
  });
});

describe('refused, and nothing is written', () => {
  const actuals = { actual_fee_cents: 1 };

  async function refuses(
    { update, row, told }: Awaited<ReturnType<typeof newContract>>,
    given: { actuals?: unknown; changes?: unknown },
    refusal: object,
  ) {
    const before = [await row(), await told()];
    await expect(update(given.actuals, given.changes)).rejects.toMatchObject(refusal);
    expect([await row(), await told()]).toEqual(before);
  }

  test('actuals of a deal that is not closed', async () => {
    const contract = await newContract();
    await refuses(...([contract, { actuals, changes: { note: 'x' } }] as const), {
      ...{ code: 'bad_request', field: 'actual_fee_cents' },
      message:
        'actual_fee_cents: is given only for a deal at CLOSED; this one is at UNDER_CONTRACT.',
    });
  });

  test('actuals of a deal that has some, from its closing or later', async () => {
    const refusal = {
      ...{ code: 'conflict' },
      message: 'The deal has its actuals already; they are given once.',
    };
    const early = await newContract();
    await early.close({ actual_profit_cents: 0 });
    await refuses(early, { actuals }, refusal);
    const late = await newContract();
    await late.close();
    await late.update(actuals);
    await refuses(late, { actuals }, refusal);
    await refuses(late, { actuals: { actual_profit_cents: null } }, refusal);
  });

  test('actuals without an amount', async () => {
    const contract = await newContract();
    await contract.close();
    const refusal = { code: 'bad_request', field: 'actual_fee_cents' };
    await refuses(contract, { actuals: { actual_fee_cents: null } }, refusal);
    await refuses(contract, { actuals: { actual_fee_cents: 'much' } }, refusal);
  });

  test.each(Object.entries(CONTRACT))('%s of a closed deal', async (field, amount) => {
    const contract = await newContract();
    await contract.close();
    const refusal = { code: 'bad_request', field };
    for (const wish of [amount + 1, null]) {
      const changes = { note: 'silently', [field]: wish };
      await refuses(contract, { changes }, refusal);
      if (field !== 'contract_price_cents') await refuses(contract, { actuals, changes }, refusal);
    }
    await contract.update(actuals);
    await refuses(contract, { changes: { [field]: amount + 1 } }, refusal);
    // What is not money may change.
    expect(await contract.update({}, { note: 'x' })).toMatchObject({ note: 'x' });
  });
});

test('five give them at once: one does, and deal.closed is sent once', async () => {
  const { close, update, told, row } = await newContract();
  await close();
  const results = await Promise.allSettled(
    [1, 2, 3, 4, 5].map((fee) => update({ actual_fee_cents: fee })),
  );
  const done = results.filter(({ status }) => status === 'fulfilled');
  expect(done).toHaveLength(1);
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
  }
  const closed = (await told()).filter(({ type }) => type === 'deal.closed');
  expect(closed).toMatchObject([{ data: { actual_fee_cents: (await row()).actualFeeCents } }]);
});
