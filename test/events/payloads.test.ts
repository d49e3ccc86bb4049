import { asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { events, rescoreSourceCounts } from '../../drizzle/schema.ts';
import { createDeal } from '../../src/deals/create-deal.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { EVENT_TYPES, type EventType } from '../../src/events/catalogue.ts';
import type { EventEnvelope } from '../../src/events/envelope.ts';
import { createFarm } from '../../src/farms/create-farm.ts';
import { holdLead } from '../../src/leads/hold-lead.ts';
import { watchCounty } from '../../src/leads/watch-county.ts';
import { createList } from '../../src/lists/create-list.ts';
import { advanceCampaign } from '../../src/postcards/advance-campaign.ts';
import { createCampaign } from '../../src/postcards/create-campaign.ts';
import { submitCards } from '../../src/postcards/submit-cards.ts';
import { createSimulatedPrinter } from '../../src/postcards/simulated-vendor.ts';
import { continueRescore } from '../../src/rescore/continue-rescore.ts';
import { showRescore } from '../../src/rescore/rescore-run.ts';
import { startRescore } from '../../src/rescore/start-rescore.ts';
import { completeSkipTrace } from '../../src/skip-trace/complete-skip-trace.ts';
import { orderSkipTrace } from '../../src/skip-trace/order-skip-trace.ts';
import { newAddressees } from '../postcards/mailing.ts';
import {
  documentValidator,
  startContract,
  type Caller,
  type Contract,
  type Json,
  type Validate,
} from '../read-api/contract.ts';
import { becameHot, importAgo } from '../rescore/parcels.ts';
import { orderIds, RAW, setPlan } from '../skip-trace/tracing.ts';
import { PUBLIC_URL } from '../support/config.ts';

/*
 * Every type's payload, made by its real action: exactly the fields of the specification, and each the
 * same as in the Read API, whose answers are held against its own document on the way.
 */

let contract: Contract;
let validate: Validate;
beforeAll(async () => {
  contract = await startContract();
  validate = documentValidator(contract.document);
});
afterAll(() => contract.close());

const LEAD = [
  ...['parcel_id', 'county', 'account_num', 'address', 'city', 'zip', 'score', 'tier'],
  ...['lead_types', 'why', 'owner_name', 'mailing_address', 'deal_url', 'crm_note'],
];
const RESCORED = ['previous_score', 'previous_tier', 'rescore_run_id'];
const DEAL = [
  ...['deal_id', 'parcel_id', 'county', 'account_num', 'address', 'city', 'zip', 'from_status'],
  ...['to_status', 'sub_state', 'exit_strategy', 'dead_reason', 'next_action', 'next_action_due'],
  ...['offer_date', 'effective_date', 'option_end_date', 'closing_date', 'buyer_name'],
  ...['title_company', 'source', 'money', 'stage_entered_at', 'deal_url'],
];
/** What the Read API has of a deal and events have not, or by another name (spec §§2.3, 2.5). */
const DEAL_API_ONLY = [
  ...['status', 'note', 'buyer_phone', 'buyer_email', 'created_via', 'last_activity_at'],
  ...['created_at', 'updated_at'],
];

/** The fields of `data` (spec §§2.2, 2.3, 2.6). */
const FIELDS: Readonly<Record<EventType, string[]>> = {
  'lead.skiptrace.completed': [
    ...[...LEAD, 'order_id', 'batch_id', 'list_id', 'list_name', 'phones', 'phone_details'],
    ...['emails', 'phone_primary', 'phone_secondary', 'email_primary', 'callable_phones'],
    ...['dnc_screened', 'litigator', 'traced_at'],
  ],
  'lead.entered_hot': [...LEAD, ...RESCORED, 'sources'],
  'lead.score_updated': [...LEAD, ...RESCORED, 'held_via'],
  'deal.status_changed': DEAL,
  'deal.closed': [
    ...[...DEAL, 'closed_at', 'actual_fee_cents', 'actual_sale_price_cents'],
    ...['actual_profit_cents', 'contract_price_cents'],
  ],
  'postcard.status_changed': [
    ...['campaign_id', 'campaign_name', 'list_id', 'state', 'state_label', 'cards', 'by_state'],
    ...['mailed_at', 'est_delivery_date', 'campaign_url'],
  ],
  'rescore.summary': [
    ...['rescore_run_id', 'reason', 'entered_hot_total', 'entered_hot_sent'],
    ...['score_updated_total', 'score_updated_sent', 'per_source', 'view_url'],
  ],
};

const met = new Set<string>();

/** The data of an account's events of a type, the oldest first; all of the envelope is checked. */
async function told(accountId: string, type: EventType): Promise<Json[]> {
  const rows = await contract.records.db
    .select()
    .from(events)
    .where(eq(events.accountId, accountId))
    .orderBy(asc(events.createdAt), asc(events.id));
  const schema = contract.document.webhooks[type]!.post.requestBody.content['application/json'];
  return rows
    .filter((row) => row.type === type)
    .map((row) => {
      met.add(type);
      const body = JSON.parse(row.body.toString()) as EventEnvelope;
      expect(Object.keys(body)).toEqual(['id', 'type', 'created_at', 'user_id', 'data']);
      const { id, createdAt: created_at } = row;
      expect(body).toMatchObject({ id, type, created_at, user_id: accountId });
      expect(Object.keys(body.data).sort()).toEqual(FIELDS[type].toSorted());
      expect(validate(schema.schema, body)).toEqual([]);
      return body.data as Json;
    });
}

/** Of a thing, the fields with these names. */
function pick(thing: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, thing[name]]));
}

const leadOf = async (caller: Caller, parcelId: string) =>
  (await caller.ok<{ lead: Json }>(`/v1/leads/${parcelId.replace(':', '/')}`)).lead;
const ordersOf = async (caller: Caller, query: string) =>
  (await caller.ok<{ orders: Json[] }>(`/v1/orders?limit=100&${query}`)).orders;
const leadUrl = (parcelId: string) => `${PUBLIC_URL}/leads/${parcelId.replace(':', '/')}`;

let counties = 0;

/** Parcels of a county of their own, as they were a year ago. */
async function parcelsAgo(count: number): Promise<{ county: string; parcelIds: string[] }> {
  const county = `payload-${(counties += 1)}`;
  const parcels = Array.from({ length: count }, (_, i) => ({
    ...{ county, account_num: String(i), lng: counties * 2, lat: 10, ...becameHot() },
    ...{ owner_name: 'Ada Bell', mailing_address: '4 Quay St, Austin, TX 78701' },
  }));
  return { county, parcelIds: await importAgo(contract.records.db, 1, parcels) };
}

describe.each(['elite', 'pro'] as const)('lead.skiptrace.completed on %s', (plan) => {
  it('is the lead, the order and the contacts as the Read API has them', async () => {
    const { context, db } = contract.records;
    const caller = await contract.newCaller(plan);
    const { accountId } = caller;
    const { parcelIds } = await parcelsAgo(2);
    const list = await createList(db, { accountId, name: 'Call first', parcelIds });
    const wish = { accountId, listId: list.id };
    const { batchId } = await orderSkipTrace(context, wish, { pay: true });
    for (const orderId of await orderIds(context, accountId, batchId)) {
      await completeSkipTrace(context, { accountId, orderId, result: RAW });
    }
    const data = await told(accountId, 'lead.skiptrace.completed');
    expect(data.map((lead) => lead['parcel_id']).sort()).toEqual(parcelIds.toSorted());
    const orders = await ordersOf(caller, 'service=SKIP_TRACE');
    for (const event of data) {
      const lead = await leadOf(caller, event['parcel_id'] as string);
      const { contacts, ...fields } = lead as Json & { contacts: Json };
      expect(pick(event, LEAD)).toEqual(fields);
      expect(pick(event, Object.keys(contacts))).toEqual(contacts);
      const order = orders.find((row) => row['order_id'] === event['order_id'])!;
      const ofOrder = ['order_id', 'batch_id', 'list_id', 'parcel_id', 'county', 'account_num'];
      const both = [...ofOrder, 'address', 'owner_name'];
      expect(pick(event, both)).toEqual(pick(order, both));
      const bought = order['contacts'] as Json;
      expect(pick(event, Object.keys(bought))).toEqual(bought);
      expect(event).toMatchObject({ list_name: 'Call first', litigator: false });
      const details = event['phone_details'] as Json[];
      expect(details.map(({ number }) => number)).toEqual(event['phones']);
      expect(event['deal_url']).toBe(leadUrl(event['parcel_id'] as string));
      expect(order['lead_url']).toBe(event['deal_url']);
    }
  });
});

it('lead.skiptrace.completed on free has no contacts, and the Read API neither', async () => {
  const { context } = contract.records;
  const caller = await contract.newCaller('pro');
  const { accountId } = caller;
  const { parcelIds } = await parcelsAgo(1);
  const { batchId } = await orderSkipTrace(context, { accountId, parcelIds }, { pay: true });
  const [orderId = ''] = await orderIds(context, accountId, batchId);
  // Its key is made while it may have one.
  await caller.ok('/v1/ping');
  await setPlan(contract.records, accountId, 'free');
  await completeSkipTrace(context, { accountId, orderId, result: RAW });
  const [event] = await told(accountId, 'lead.skiptrace.completed');
  const none = { phones: [], phone_details: [], emails: [], callable_phones: 0 };
  const nobody = { phone_primary: null, phone_secondary: null, email_primary: null };
  expect(event).toMatchObject({ ...none, ...nobody, order_id: orderId, list_id: '' });
  expect(event).toMatchObject({ lead_types: ['absentee-owner', 'long-term-owner'] });
  const refused = await caller.get('/v1/orders');
  expect(refused).toMatchObject({ status: 403, body: { error: 'pro_required' } });
});

describe('deals', () => {
  const CHANGES = {
    ...{ note: 'Gate code', next_action: 'Call', next_action_due: '2026-03-01' },
    ...{ offer_date: '2026-02-01', effective_date: '2026-02-02', option_end_date: '2026-02-09' },
    ...{ closing_date: '2026-03-09', buyer_name: 'Gulf Homes', buyer_phone: '713 555 0100' },
    ...{ buyer_email: 'gulf@example.com', title_company: 'Bayou Title', exit_strategy: 'assigned' },
    ...{ contract_price_cents: 14_250_000, earnest_cents: 150_000, est_fee_cents: 900_000 },
  };

  it('every event is the deal as the Read API has it at that moment', async () => {
    const { context } = contract.records;
    const caller = await contract.newCaller('pro');
    const { accountId } = caller;
    const { parcelIds } = await parcelsAgo(1);
    const [parcelId = ''] = parcelIds;
    const origin = { source: 'campaign', created_via: 'automation' };
    const made = await createDeal(context, { accountId, parcelId, changes: origin });
    const which = { accountId, dealId: made.id };
    const latest = async (type: EventType) => (await told(accountId, type)).at(-1)!;
    const check = async (from: string | null, type: EventType = 'deal.status_changed') => {
      const data = await latest(type);
      const { deal } = await caller.ok<{ deal: Json }>(`/v1/deals/${made.id}`);
      const shared = DEAL.filter((name) => name in deal);
      expect(pick(data, shared)).toEqual(pick(deal, shared));
      expect(
        Object.keys(deal)
          .filter((name) => !DEAL.includes(name))
          .sort(),
      ).toEqual(DEAL_API_ONLY.toSorted());
      const stages = { from_status: from, to_status: deal['status'] };
      const url = `${PUBLIC_URL}/deals/${made.id}`;
      expect(data).toMatchObject({ ...stages, source: 'campaign', deal_url: url });
      return data;
    };
    await check(null);
    await moveDeal(context, {
      ...{ ...which, to: 'UNDER_CONTRACT' },
      changes: { ...CHANGES, sub_state: 'option_period' },
    });
    await check('NEW');
    await moveDeal(context, { ...which, to: 'DEAD', changes: { dead_reason: 'title' } });
    expect(await check('UNDER_CONTRACT')).toMatchObject({ sub_state: null, dead_reason: 'title' });
    await moveDeal(context, { ...which, to: 'UNDER_CONTRACT' });
    const actuals = { actual_fee_cents: 1_350_000, actual_profit_cents: -5 };
    await moveDeal(context, { ...which, to: 'CLOSED', actuals });
    const moved = await check('UNDER_CONTRACT');
    const closed = await check('UNDER_CONTRACT', 'deal.closed');
    expect(pick(closed, DEAL)).toEqual(moved);
    expect(closed).toMatchObject({
      ...{ ...actuals, actual_sale_price_cents: null, contract_price_cents: 14_250_000 },
      money: { contract_price: 14_250_000, earnest: 150_000, actual_fee: 1_350_000 },
      closed_at: closed['stage_entered_at'],
    });
  });
});

it('postcard.status_changed counts the cards that the Read API shows', async () => {
  const { context, db } = contract.records;
  const caller = await contract.newCaller('pro');
  const { accountId } = caller;
  const parcelIds = [
    ...(await newAddressees(contract.records, 3)),
    ...(await newAddressees(contract.records, 1, 'incomplete_address')),
  ];
  const list = await createList(db, { accountId, name: 'Owners', parcelIds });
  const { campaign } = await createCampaign(context, {
    accountId,
    listId: list.id,
    name: 'Spring',
  });
  const which = { accountId, campaignId: campaign.id };
  for (const state of ['production', 'mailed', 'delivered_est']) {
    await advanceCampaign(context, which);
    const data = (await told(accountId, 'postcard.status_changed')).at(-1)!;
    const cards = (await ordersOf(caller, 'service=POSTCARD')) as (Json & { postcard: Json })[];
    const byState: Record<string, number> = {};
    for (const { postcard } of cards) {
      const at = String(postcard['state']);
      byState[at] = (byState[at] ?? 0) + 1;
    }
    const url = `${PUBLIC_URL}/campaigns/${campaign.id}`;
    const names = { campaign_id: campaign.id, campaign_name: 'Spring', campaign_url: url };
    expect(data).toMatchObject({ ...names, state, cards: 4, by_state: byState, list_id: list.id });
    for (const card of cards) expect(card['list_id']).toBe(list.id);
    const sent = cards.filter(({ status }) => status !== 'CANCELLED');
    for (const card of sent) {
      expect(card.postcard).toMatchObject({ state, mailed_at: data['mailed_at'] });
      expect(card['fulfilled_at']).toBe(data['mailed_at']);
    }
    expect(sent).toHaveLength(state === 'production' ? 4 : 3);
    if (state === 'production') {
      await submitCards({ ...context, printer: createSimulatedPrinter() }, campaign.id);
    }
  }
});

describe('a rescore', () => {
  /** Of four leads of an account, watched and held in every way, two are told of one by one. */
  async function rescored() {
    const { context, db } = contract.records;
    const { serviceName, urls } = context;
    // What other tests have left is made known first.
    const run = async (cap: number) => {
      const { id } = await startRescore(db);
      const limits = { cap, backlog: 10_000, batch: 100 };
      await continueRescore({ db, style: { serviceName, urls }, limits }, id, { turnMs: 60_000 });
      return id;
    };
    await run(1_000);
    const caller = await contract.newCaller('pro');
    const { accountId } = caller;
    const { county, parcelIds } = await parcelsAgo(4);
    const list = await createList(db, { accountId, name: 'List', parcelIds });
    const [lng, lat] = [counties * 2, 10];
    const corner = (east: number, north: number) => ({ lng: lng + east, lat: lat + north });
    const corners = [corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)];
    const farm = await createFarm(db, { accountId, name: 'Farm', corners });
    await watchCounty(db, { accountId, county });
    for (const parcelId of parcelIds) await holdLead(db, { accountId, parcelId, via: 'saved' });
    const sources = [
      { kind: 'list', id: list.id, name: 'List' },
      { kind: 'farm', id: farm.id, name: 'Farm' },
      { kind: 'county', id: county, name: county },
    ];
    return { caller, accountId, runId: await run(2), sources };
  }

  it('tells of leads as the Read API has them, and of the rest in numbers', async () => {
    const { db } = contract.records;
    const { caller, accountId, runId, sources } = await rescored();
    const change = { previous_score: 75, previous_tier: 'warm', rescore_run_id: runId };
    for (const [type, extra] of [
      ['lead.entered_hot', { sources }],
      ['lead.score_updated', { held_via: ['saved'] }],
    ] as const) {
      const data = await told(accountId, type);
      expect(data).toHaveLength(2);
      for (const event of data) {
        const parcelId = event['parcel_id'] as string;
        const { contacts, ...lead } = await leadOf(caller, parcelId);
        expect(contacts).toBeNull();
        const more = { ...change, ...extra };
        expect(event).toEqual({ ...lead, ...more });
        expect(event).toMatchObject({ score: 85, tier: 'hot', deal_url: leadUrl(parcelId) });
      }
    }
    const [summary, ...others] = await told(accountId, 'rescore.summary');
    expect(others).toEqual([]);
    const { accounts } = await showRescore(db, runId);
    const counts = accounts.find((row) => row.accountId === accountId)!;
    const bySource = await db
      .select()
      .from(rescoreSourceCounts)
      .where(eq(rescoreSourceCounts.runId, runId));
    const countOf = (id: string) =>
      bySource.find((row) => row.accountId === accountId && row.sourceId === id)?.enteredHot;
    expect(summary).toEqual({
      ...{ rescore_run_id: runId, reason: 'cap_exceeded' },
      entered_hot_total: counts.enteredHotTotal,
      entered_hot_sent: counts.enteredHotSent,
      score_updated_total: counts.scoreUpdatedTotal,
      score_updated_sent: counts.scoreUpdatedSent,
      per_source: sources.map((source) => ({ ...source, entered_hot: countOf(source.id) })),
      view_url: `${PUBLIC_URL}/rescores/${runId}`,
    });
    expect(summary).toMatchObject({ entered_hot_total: 4, entered_hot_sent: 2 });
    expect(summary).toMatchObject({ score_updated_total: 4, score_updated_sent: 2 });
  });
});

it('all types have been looked at', () => {
  expect([...met].sort()).toEqual(EVENT_TYPES.toSorted());
});
