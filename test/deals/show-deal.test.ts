import { afterAll, beforeAll, expect, test } from 'vitest';
import { listDeals } from '../../src/deals/list-deals.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { showDeal } from '../../src/deals/show-deal.ts';
import { updateDeal } from '../../src/deals/update-deal.ts';
import { pauseEndpoint } from '../../src/endpoints/pause-endpoint.ts';
import { createTestRecords, TEST_PARCEL, type TestRecords } from '../support/records.ts';

/* What operators see of a deal: how it came to be, and who has been told. */
let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

test('a deal with its events in order, and each with its deliveries', async () => {
  const { db, context } = records;
  const { id: accountId } = await records.newAccount();
  const { id: dealId } = await records.newDeal(accountId);
  const all = await records.newEndpoint(accountId, 'https://a.example.com/');
  const closings = await records.newEndpoint(accountId, 'https://b.example.com/', ['deal.closed']);
  const which = { accountId, dealId };
  await moveDeal(context, { ...which, to: 'UNDER_CONTRACT' });
  await pauseEndpoint(context, { accountId, endpointId: all.id });
  await updateDeal(context, { ...which, changes: { note: 'nearly there' } });
  await moveDeal(context, { ...which, to: 'CLOSED', actuals: { actual_fee_cents: 7 } });

  const { deal, parcel, events } = await showDeal(db, which);
  expect(deal).toMatchObject({ id: dealId, status: 'CLOSED', note: 'nearly there' });
  expect(parcel.id).toBe(TEST_PARCEL);
  const shown = events.map(({ type, fromStatus, toStatus, deliveries }) => ({
    what: [type, fromStatus, toStatus],
    sent: deliveries.map(({ endpointId, state, skipReason }) => [endpointId, state, skipReason]),
  }));
  const paused = [all.id, 'skipped', 'endpoint_paused'];
  expect(shown).toEqual([
    { what: ['deal.status_changed', null, 'NEW'], sent: [] },
    { what: ['deal.status_changed', 'NEW', 'UNDER_CONTRACT'], sent: [paused] },
    { what: ['deal.status_changed', 'UNDER_CONTRACT', 'CLOSED'], sent: [paused] },
    {
      what: ['deal.closed', 'UNDER_CONTRACT', 'CLOSED'],
      sent: expect.arrayContaining([paused, [closings.id, 'pending', null]]),
    },
  ]);
});

test("another account's deal is not found, exactly like one that does not exist", async () => {
  const { id: owner } = await records.newAccount();
  const { id: dealId } = await records.newDeal(owner);
  const { id: accountId } = await records.newAccount();
  const refusal = (id: string) =>
    showDeal(records.db, { accountId, dealId: id }).catch((error: unknown) => error as Error);
  expect(await refusal(dealId)).toMatchObject({ code: 'not_found' });
  expect(await refusal(dealId)).toEqual(await refusal('deal_none'));
});

test('a list of deals can be that of one stage', async () => {
  const { id: accountId } = await records.newAccount();
  const [first, second] = [await records.newDeal(accountId), await records.newDeal(accountId)];
  await moveDeal(records.context, { accountId, dealId: first.id, to: 'DEAD' });
  const ids = async (status?: 'NEW' | 'DEAD' | 'CLOSED') =>
    (await listDeals(records.db, accountId, { status, limit: 50 })).map(({ deal }) => deal.id);
  expect(await ids()).toEqual([first.id, second.id]);
  expect(await ids('DEAD')).toEqual([first.id]);
  expect(await ids('NEW')).toEqual([second.id]);
  expect(await ids('CLOSED')).toEqual([]);
});

test('an account with many deals reads its newest from the index, ties included, without sorting', async () => {
  const { id: accountId } = await records.newAccount();
  const { sql } = records.database;
  await sql`
    insert into deals (id, account_id, parcel_id, status, last_activity_at)
    select 'deal_' || n, ${accountId}, ${TEST_PARCEL}, 'NEW', '2026-01-01'
    from generate_series(1, 5000) n`;
  await sql`analyze deals`;
  const plan = await sql<{ 'QUERY PLAN': string }[]>`
    explain select * from deals where account_id = ${accountId}
    order by last_activity_at desc, id desc limit 25`;
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  expect(text).toContain('Index Scan Backward using deals_activity');
  expect(text).not.toContain('Sort');
});
