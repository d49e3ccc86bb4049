import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from '../../src/db/client.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { holdLead } from '../../src/leads/hold-lead.ts';
import { watchCounty } from '../../src/leads/watch-county.ts';
import { advanceCampaign } from '../../src/postcards/advance-campaign.ts';
import { createSimulatedPrinter } from '../../src/postcards/simulated-vendor.ts';
import { submitCards } from '../../src/postcards/submit-cards.ts';
import { continueRescore } from '../../src/rescore/continue-rescore.ts';
import { startRescore } from '../../src/rescore/start-rescore.ts';
import { completeSkipTrace } from '../../src/skip-trace/complete-skip-trace.ts';
import { newAddressees, newCampaign } from '../postcards/mailing.ts';
import { becameHot, importAgo } from '../rescore/parcels.ts';
import { newParcels, paidBatch, RAW } from '../skip-trace/tracing.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { markerOf, type Customer } from './customers.ts';
import { keepJournal } from './journal.ts';
import { leakingEvents, privateWords } from './leaks.ts';
import { ledgerContradictions, missedBy } from './ledger.ts';
import { RESCORE_QUERIES } from './rescore-ledger.ts';

/* What judges the random run finds nothing where all is well, and each fault that is planted. */

let records: TestRecords;
let customers: Customer[];
let endpointId: string;

beforeAll(async () => {
  records = await createTestRecords();
  const { context, db } = records;
  await keepJournal(db);
  customers = [];
  for (const index of [0, 1]) {
    const { id: accountId } = await records.newAccount();
    const nothing = { keys: [], listIds: [], own: [], endpoints: [] };
    customers.push({ index, accountId, marker: markerOf(index), ...nothing });
  }
  const { accountId, marker } = customers[0]!;
  ({ id: endpointId } = await records.newEndpoint(accountId, 'https://hooks.example.com/in'));
  const { id: dealId } = await records.newDeal(accountId);
  const changes = { buyer_name: marker };
  await moveDeal(context, { accountId, dealId, to: 'UNDER_CONTRACT', changes });
  const actuals = { actual_fee_cents: 1 };
  await moveDeal(context, { accountId, dealId, to: 'CLOSED', actuals });
  const { orderIds } = await paidBatch(records, accountId, await newParcels(records, 1));
  await completeSkipTrace(context, { accountId, orderId: orderIds[0]!, result: RAW });
  const { campaign } = await newCampaign(records, accountId, await newAddressees(records, 1));
  for (let step = 0; step < 3; step += 1) {
    await advanceCampaign(context, { accountId, campaignId: campaign.id });
    await submitCards({ ...context, printer: createSimulatedPrinter() }, campaign.id);
  }
  const parcels = ['1', '2', '3'].map((account_num) => ({
    ...{ county: 'ash', account_num, ...becameHot() },
  }));
  for (const parcelId of await importAgo(db, 1, parcels)) {
    await holdLead(db, { accountId, parcelId, via: 'saved' });
  }
  await watchCounty(db, { accountId, county: 'ash' });
  // As long ago as the verdict wants it, to be certain that the rescore saw them as held.
  await db.execute(sql`update journal set at = at - interval '1 minute' where kind = 'held'`);
  const { id: runId } = await startRescore(db);
  const limits = { cap: 2, backlog: 1_000, batch: 2 };
  await continueRescore({ db, style: context, limits }, runId, { turnMs: 60_000 });
  await db.execute(sql`
    update deliveries set state = 'delivered', finished_at = now(), expected_at = null`);
});
afterAll(() => records.close());

const ledger = async (db: Db) => [
  ...(await ledgerContradictions(db)),
  ...(await ledgerContradictions(db, RESCORE_QUERIES)),
  ...(await ledgerContradictions(db, { missed: missedBy([endpointId]) })),
  ...(await leakingEvents(db, customers)),
];

it('finds nothing where all is well', async () => {
  expect(await ledger(records.db)).toEqual([]);
});

/** Writes other words into the bodies of a type's events. */
const reword = (type: string, pattern: string, words: string) => `
  update events set body = convert_to(
    regexp_replace(convert_from(body, 'UTF8'), '${pattern}', '${words}'), 'UTF8')
  where type = '${type}'`;
/** Takes the newest event of a type away, with its deliveries. */
const remove = (type: string) => `
  with e as (select id from events where type = '${type}' order by created_at desc limit 1),
    d as (delete from deliveries where event_id in (select id from e))
  delete from events where id in (select id from e)`;
/** The same transaction tells of it once more. */
const double = (type: string) => `
  insert into events (id, account_id, type, subject, created_at, body)
  select id || 'x', account_id, type, subject, created_at + interval '7 microseconds',
         convert_to(replace(convert_from(body, 'UTF8'), id, id || 'x'), 'UTF8')
  from events where type = '${type}'
  order by created_at desc limit 1`;

it.each([
  ['a move without its event', remove('deal.status_changed'), /a move of a deal and its events/],
  ['a close without its event', remove('deal.closed'), /a move of a deal and its events/],
  ['an event without a move', double('deal.status_changed'), /a move of a deal and its events/],
  ['a trace without its event', remove('lead.skiptrace.completed'), /a trace that was fulfilled/],
  ['a trace with two', double('lead.skiptrace.completed'), /a trace that was fulfilled/],
  ['a step without its event', remove('postcard.status_changed'), /a step of a campaign/],
  [
    'a step told as another',
    reword('postcard.status_changed', '"state":"mailed"', '"state":"draft"'),
    /a step of a campaign/,
  ],
  [
    'a step too far',
    `update journal set after = 'delivered_est' where kind = 'campaign' and after = 'mailed'`,
    /a campaign did not go forward one step/,
  ],
  [
    'moves in the wrong order',
    `update events set created_at = created_at - interval '1 minute'
     where convert_from(body, 'UTF8') like '%"to_status":"CLOSED"%'`,
    /created_at is not the order/,
  ],
  [
    'a deal that stands elsewhere',
    `update deals set status = 'UNDER_CONTRACT', closed_at = null`,
    /newest event does not show/,
  ],
  ['a hot lead untold', remove('lead.entered_hot'), /events of a rescore are not those/],
  ['a hot lead told twice', double('lead.entered_hot'), /a rescore told the same twice/],
  [
    'a hot lead with another score before',
    reword('lead.entered_hot', '"previous_score":75', '"previous_score":74'),
    /told of a lead what did not happen/,
  ],
  ['a watcher less', `delete from watched_counties`, /for somebody who does not watch it/],
  ['a holder less', `delete from journal where kind = 'held'`, /somebody who does not hold/],
  [
    'a hot lead uncounted',
    `update rescore_counts set entered_hot_total = entered_hot_total - 1,
       held_by_cap = held_by_cap - 1`,
    /leads that became hot are not those/,
  ],
  ['a summary less', remove('rescore.summary'), /a summary is missing/],
  [
    'a summary with other numbers',
    reword('rescore.summary', '"entered_hot_sent":2', '"entered_hot_sent":1'),
    /a summary is missing/,
  ],
  ['a delivery less', `delete from deliveries where event_type = 'deal.closed'`, /^missed/],
  [
    'a delivery that is under way',
    `update deliveries set state = 'pending', finished_at = null, expected_at = now()
     where event_type = 'deal.closed'`,
    /a delivery is not final/,
  ],
  [
    "another account's name",
    reword('deal.closed', markerOf(0), markerOf(1)),
    new RegExp(`has ${markerOf(1)}`),
  ],
  [
    'a number where none belongs',
    reword('deal.closed', markerOf(0), '+17135550142'),
    /has a contact/,
  ],
  [
    'contacts for a plan without',
    `update journal set after = 'free' where kind = 'plan'`,
    /has other contacts than free/,
  ],
  [
    'lead types above the plan',
    `update journal set after = 'free' where kind = 'plan'`,
    /has lead types above free/,
  ],
  ['a field that nobody knows', reword('deal.closed', '"deal_id"', '"x":1,"deal_id"'), /catalogue/],
])('%s', async (_, fault, found) => {
  const undone = new Error('undone');
  const planted = records.db.transaction(async (tx) => {
    // Nothing that is planted is kept, and the journal takes no note of it.
    await tx.execute(sql`drop function note() cascade`);
    const { count } = await tx.execute(sql.raw(fault));
    expect(count).toBeGreaterThan(0);
    expect(await ledger(tx)).toContainEqual(expect.stringMatching(found));
    throw undone;
  });
  await expect(planted).rejects.toBe(undone);
});

it.each([
  ...['reach her at (713) 555-0142', 'ada@example.com', '+17135550142', '713-555-0142'],
  ...['Ada Traceeaab', '?key=soaksecret', markerOf(7), '4 Elm St', 'whsec_abc', '1-713-555-0142'],
])('%s is private', (text) => {
  expect(privateWords(`{"msg":"${text}"}`)).not.toEqual([]);
});
