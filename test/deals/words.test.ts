import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDeal } from '../../src/deals/create-deal.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { updateDeal } from '../../src/deals/update-deal.ts';
import { DEAL_DEAD_REASONS } from '../../src/domain/deal-dead-reason.ts';
import { DEAL_EXIT_STRATEGIES } from '../../src/domain/deal-exit-strategy.ts';
import { DEAL_CREATED_VIA, DEAL_SOURCES } from '../../src/domain/deal-origin.ts';
import { DEAL_STATUSES, type DealStatus } from '../../src/domain/deal-status.ts';
import { subStatesOf } from '../../src/domain/deal-sub-state.ts';
import { dealEventsOf } from '../support/deal-events.ts';
import { createTestRecords, TEST_PARCEL, type TestRecords } from '../support/records.ts';

/* The words that a deal's fields may have, and which belong to which stage. */
let records: TestRecords;
let accountId: string;
beforeAll(async () => {
  records = await createTestRecords();
  accountId = (await records.newAccount()).id;
});
afterAll(() => records.close());

const create = (changes: unknown = {}) =>
  createDeal(records.context, { accountId, parcelId: TEST_PARCEL, changes });
const move = (dealId: string, to: string, changes: unknown = {}) =>
  moveDeal(records.context, { accountId, dealId, to, changes });
const update = (dealId: string, changes: unknown) =>
  updateDeal(records.context, { accountId, dealId, changes });

/** A deal that has got to this stage. */
async function dealAt(stage: DealStatus): Promise<string> {
  const { id } = await create();
  const via = ['CLOSED', 'TERMINATED'].includes(stage) ? ['UNDER_CONTRACT', stage] : [stage];
  for (const to of via.filter((status) => status !== 'NEW')) await move(id, to);
  return id;
}

describe('the words that a field may have', () => {
  test.each([
    ['exit_strategy', DEAL_EXIT_STRATEGIES],
    ['source', DEAL_SOURCES],
    ['created_via', DEAL_CREATED_VIA],
  ])('%s: each known one, and no other', async (field, words) => {
    const column = { exit_strategy: 'exitStrategy', created_via: 'createdVia' }[field] ?? field;
    for (const word of Object.keys(words)) {
      expect(await create({ [field]: word })).toMatchObject({ [column]: word });
    }
    for (const wrong of ['Assigned!', '', null, 7]) {
      await expect(create({ [field]: wrong })).rejects.toMatchObject({
        ...{ code: 'bad_request', field },
        message: `${field}: must be one of ${Object.keys(words).join(', ')}, not ${JSON.stringify(wrong)}.`,
      });
    }
  });

  test('dead_reason: each known one at DEAD, or none', async () => {
    const id = await dealAt('DEAD');
    for (const word of [...Object.keys(DEAL_DEAD_REASONS), null]) {
      expect(await update(id, { dead_reason: word })).toMatchObject({ deadReason: word });
    }
    await expect(update(id, { dead_reason: 'bored' })).rejects.toMatchObject({
      ...{ code: 'bad_request', field: 'dead_reason' },
      message: expect.stringMatching(
        /^dead_reason: must be one of not_interested, .+, not "bored"\.$/,
      ),
    });
  });

  test('a long wrong word is not repeated in full', async () => {
    const refused = create({ exit_strategy: 'x'.repeat(5_000) });
    await expect(refused).rejects.toMatchObject({ message: expect.stringMatching(/x…\.$/) });
    await refused.catch((error: Error) => expect(error.message.length).toBeLessThan(250));
  });

  test('a deal comes from the pipeline by hand unless told, and that is said once', async () => {
    const { id, source, createdVia } = await create();
    expect([source, createdVia]).toEqual(['pipeline', 'manual']);
    for (const origin of [{ source: 'list' }, { created_via: 'import' }]) {
      const [field] = Object.keys(origin);
      const refusal = { code: 'bad_request', field };
      await expect(update(id, origin)).rejects.toMatchObject(refusal);
      await expect(move(id, 'CONTACTED', origin)).rejects.toMatchObject(refusal);
    }
  });
});

describe.each(DEAL_STATUSES)('sub-states at %s', (stage) => {
  test('each of its own, and no other', async () => {
    const id = await dealAt(stage);
    for (const word of subStatesOf(stage)) {
      expect(await update(id, { sub_state: word })).toMatchObject({ subState: word });
    }
    expect(await update(id, { sub_state: null })).toMatchObject({ subState: null });
    const others = DEAL_STATUSES.flatMap(subStatesOf).filter(
      (word) => !subStatesOf(stage).includes(word),
    );
    for (const word of [...others, 'nonsense']) {
      await expect(update(id, { sub_state: word })).rejects.toMatchObject({
        ...{ code: 'bad_request', field: 'sub_state' },
        message: expect.stringContaining(`at ${stage} `),
      });
    }
  });
});

describe('a move', () => {
  test('clears a sub-state that the new stage does not have', async () => {
    const { id } = await create({ sub_state: 'researching' });
    expect(await move(id, 'CONTACTED')).toMatchObject({ subState: null });
    const told = await dealEventsOf(records.db, accountId);
    const own = told.filter(({ data }) => data.deal_id === id).map(({ data }) => data.sub_state);
    expect(own).toEqual(['researching', null]);
  });

  test('keeps one that both stages have', async () => {
    const id = await dealAt('CONTACTED');
    await update(id, { sub_state: 'follow_up' });
    expect(await move(id, 'OFFER_SENT')).toMatchObject({ subState: 'follow_up' });
    expect(await move(id, 'UNDER_CONTRACT')).toMatchObject({ subState: null });
  });

  test('takes one of the stage that it goes to, not of the one that it leaves', async () => {
    const { id } = await create({ sub_state: 'researching' });
    await expect(move(id, 'UNDER_CONTRACT', { sub_state: 'researching' })).rejects.toMatchObject({
      ...{ code: 'bad_request', field: 'sub_state' },
      message:
        'sub_state: at UNDER_CONTRACT must be one of option_period, finding_buyer, title_work, clear_to_close, not "researching".',
    });
    expect(await move(id, 'UNDER_CONTRACT', { sub_state: 'option_period' })).toMatchObject({
      ...{ status: 'UNDER_CONTRACT', subState: 'option_period' },
    });
  });

  test('clears the reason for having died when the deal is taken up again', async () => {
    const { id } = await create();
    expect(await move(id, 'DEAD', { dead_reason: 'price' })).toMatchObject({ deadReason: 'price' });
    expect(await move(id, 'CONTACTED')).toMatchObject({ deadReason: null });
  });
});

test('the database holds no reason for having died of a deal that lives', async () => {
  const { id } = await create();
  const { sql } = records.database;
  const written = sql`update deals set dead_reason = 'price' where id = ${id}`;
  await expect(written).rejects.toThrow('deals_dead_reason');
});
