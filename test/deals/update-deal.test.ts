import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deals, events } from '../../drizzle/schema.ts';
import { createDeal } from '../../src/deals/create-deal.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { updateDeal } from '../../src/deals/update-deal.ts';
import { DEAL_STATUSES } from '../../src/domain/deal-status.ts';
import { createTestRecords, TEST_PARCEL, type TestRecords } from '../support/records.ts';

/* Fields of a deal change where it stands: no move, so no event (spec §3.1). */
let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

async function newDeal(changes: unknown = {}) {
  const { id: accountId } = await records.newAccount();
  const deal = await createDeal(records.context, { accountId, parcelId: TEST_PARCEL, changes });
  const which = { accountId, dealId: deal.id };
  return {
    ...{ accountId, deal },
    update: (given: unknown) => updateDeal(records.context, { ...which, changes: given }),
    move: (to: string, given: unknown = {}) =>
      moveDeal(records.context, { ...which, to, changes: given }),
    async row() {
      const [row] = await records.db.select().from(deals).where(eq(deals.id, deal.id));
      return row!;
    },
    told: () => records.db.select().from(events).where(eq(events.accountId, accountId)),
  };
}

test('what is given changes, what is not stays, and no event is recorded', async () => {
  await records.newAccount();
  const { deal, update, told, row } = await newDeal({ note: 'old', buyer_name: 'B' });
  const before = await told();
  const after = await update({ note: 'new', earnest_cents: 100, title_company: null });
  expect(after).toEqual({
    ...deal,
    ...{ note: 'new', earnestCents: 100 },
    ...{ updatedAt: after.updatedAt, lastActivityAt: after.lastActivityAt },
  });
  expect(await row()).toEqual(after);
  expect(await told()).toEqual(before);
});

test('it is the newest activity, and the stage was not entered anew', async () => {
  const { deal, update } = await newDeal();
  const after = await update({ note: 'x' });
  expect(after.updatedAt > deal.updatedAt).toBe(true);
  expect(after.lastActivityAt).toBe(after.updatedAt);
  expect(after.stageEnteredAt).toBe(deal.stageEnteredAt);
  expect(after.createdAt).toBe(deal.createdAt);
});

test('the next move tells of what was changed meanwhile (spec §6.2)', async () => {
  const { update, move, told } = await newDeal();
  await update({ est_fee_cents: 5, exit_strategy: 'novation' });
  await move('CONTACTED');
  const bodies = (await told()).map(({ body }) => JSON.parse(body.toString()) as { data: object });
  expect(bodies.at(-1)?.data).toMatchObject({ exit_strategy: 'novation', money: { est_fee: 5 } });
});

test.each(DEAL_STATUSES)('a deal at %s can be changed', async (status) => {
  const { deal, update } = await newDeal();
  const closedAt = status === 'CLOSED' ? new Date().toISOString() : null;
  await records.db.update(deals).set({ status, closedAt }).where(eq(deals.id, deal.id));
  expect(await update({ note: 'afterwards' })).toMatchObject({ status, note: 'afterwards' });
});

test.each([
  ['changes', {}],
  ['note', { note: 7 }],
  ['closing_date', { closing_date: '2026-02-30' }],
  ['status', { status: 'DEAD' }],
  ['account_id', { account_id: 'acct_other' }],
  ['actual_fee_cents', { actual_fee_cents: 1 }],
  ['dead_reason', { dead_reason: 'price' }],
  ['sub_state', { sub_state: 'option_period', note: 'not written either' }],
  ['next_action_due', { next_action_due: '2026-03-01' }],
])('a wrong %s is refused by its name and nothing is written', async (field, changes) => {
  const { deal, update, row } = await newDeal();
  await expect(update(changes)).rejects.toMatchObject({ code: 'bad_request', field });
  expect(await row()).toEqual(deal);
});

test("another account's deal is not found, exactly like one that does not exist", async () => {
  const { deal } = await newDeal();
  const { id: accountId } = await records.newAccount();
  const refusal = (dealId: string) =>
    updateDeal(records.context, { accountId, dealId, changes: { note: 'mine' } }).catch(
      (error: unknown) => error as Error,
    );
  expect(await refusal(deal.id)).toEqual(await refusal('deal_none'));
  expect(await refusal(deal.id)).toMatchObject({ code: 'not_found' });
});

describe('what is to be done next, and by when', () => {
  const DUE = '2026-03-01';

  test('without something to do nothing is due', async () => {
    const { update } = await newDeal({ next_action: 'Call', next_action_due: DUE });
    expect(await update({ note: 'n' })).toMatchObject({ nextAction: 'Call', nextActionDue: DUE });
    expect(await update({ next_action: 'Visit' })).toMatchObject({ nextActionDue: DUE });
    expect(await update({ next_action: null })).toMatchObject({
      ...{ nextAction: null, nextActionDue: null },
    });
  });

  test('something may be to be done without a day', async () => {
    const { update } = await newDeal({ next_action: 'Call' });
    expect(await update({ next_action_due: DUE })).toMatchObject({ nextActionDue: DUE });
    expect(await update({ next_action_due: null })).toMatchObject({
      ...{ nextAction: 'Call', nextActionDue: null },
    });
  });

  const refusal = { code: 'bad_request', field: 'next_action_due' };

  test('a day alone is refused, on creation, on a move and on a change', async () => {
    await expect(newDeal({ next_action_due: DUE })).rejects.toMatchObject(refusal);
    const { deal, update, move, row } = await newDeal({ next_action: 'Call' });
    const both = { next_action: null, next_action_due: DUE };
    await expect(update(both)).rejects.toMatchObject(refusal);
    await expect(move('CONTACTED', both)).rejects.toMatchObject(refusal);
    expect(await row()).toEqual(deal);
  });

  test('a move clears it in the same way, and says so', async () => {
    const { move, told } = await newDeal({ next_action: 'Call', next_action_due: DUE });
    await move('DEAD', { next_action: null });
    const bodies = (await told()).map(
      ({ body }) => JSON.parse(body.toString()) as { data: object },
    );
    expect(bodies.at(-1)?.data).toMatchObject({ next_action: null, next_action_due: null });
  });

  test.each(['CLOSED', 'TERMINATED', 'DEAD'])(
    'a move to %s ends it, unless the move says what is next',
    async (end) => {
      const open = { next_action: 'Call', next_action_due: DUE };
      const moved = async (given: unknown) => {
        const { move, update, told } = await newDeal(open);
        await move('UNDER_CONTRACT');
        await move(end, given);
        const { data } = JSON.parse((await told()).at(-1)!.body.toString()) as { data: object };
        return { data, update, move };
      };
      const done = await moved({});
      expect(done.data).toMatchObject({ next_action: null, next_action_due: null });
      // The day belonged to what was to be done before.
      const next = await moved({ next_action: 'Thank them' });
      expect(next.data).toMatchObject({ next_action: 'Thank them', next_action_due: null });
      // What comes up later stays through other changes.
      const later = await next.update({ next_action_due: '2026-04-01' });
      expect(later).toMatchObject({ nextAction: 'Thank them', nextActionDue: '2026-04-01' });
      expect(await next.update({ note: 'x' })).toMatchObject({ nextAction: 'Thank them' });
      await expect(moved({ next_action_due: DUE })).rejects.toMatchObject(refusal);
    },
  );

  test('a move between open stages keeps it', async () => {
    const { move } = await newDeal({ next_action: 'Call', next_action_due: DUE });
    expect(await move('CONTACTED')).toMatchObject({ nextAction: 'Call', nextActionDue: DUE });
  });

  test('the database holds no day without something to do', async () => {
    const { deal } = await newDeal();
    const written = records.database
      .sql`update deals set next_action_due = ${DUE} where id = ${deal.id}`;
    await expect(written).rejects.toThrow('deals_next_action_due');
  });
});
