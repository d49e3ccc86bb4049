import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { campaigns, outbox } from '../../drizzle/schema.ts';
import { POSTCARD_PACE } from '../../src/domain/postcard-pace.ts';
import {
  nextPostcardState,
  POSTCARD_STATE_LABELS,
  POSTCARD_STATES,
  type PostcardState,
} from '../../src/domain/postcard-state.ts';
import { PRICE_CENTS } from '../../src/domain/price.ts';
import { EVENT_CATALOGUE } from '../../src/events/catalogue.ts';
import { createList } from '../../src/lists/create-list.ts';
import { advanceCampaign, advanceFrom } from '../../src/postcards/advance-campaign.ts';
import { cancelCampaign } from '../../src/postcards/cancel-campaign.ts';
import { createCampaign } from '../../src/postcards/create-campaign.ts';
import { listCampaigns, showCampaign } from '../../src/postcards/read-campaigns.ts';
import { submitCards } from '../../src/postcards/submit-cards.ts';
import { createSimulatedPrinter } from '../../src/postcards/simulated-vendor.ts';
import type { PostcardVendor } from '../../src/postcards/vendor.ts';
import { startContract, type Caller, type Contract, type Json } from '../read-api/contract.ts';
import { eventsOf } from '../support/event-log.ts';
import type { TestRecords } from '../support/records.ts';
import { cardRows, newAddressees, newCampaign } from './mailing.ts';

/* Campaigns of postcards, step by step (spec §§2.3, 2.7, 3.2, 3.3). No workflow runs here. */
let contract: Contract;
let records: TestRecords;
let caller: Caller;
let accountId: string;
let parcels: string[];

beforeAll(async () => {
  contract = await startContract();
  records = contract.records;
  parcels = await newAddressees(records, 3);
});
beforeEach(async () => {
  caller = await contract.newCaller();
  accountId = caller.accountId;
});
afterAll(() => contract.close());

const events = () => eventsOf(records, accountId, 'postcard.status_changed');
const tasks = () => records.db.select().from(outbox).where(eq(outbox.accountId, accountId));
const advance = (campaignId: string, to?: string) =>
  advanceCampaign(records.context, { accountId, campaignId, to });
const submit = (campaignId: string, printer: PostcardVendor = createSimulatedPrinter()) =>
  submitCards({ ...records.context, printer }, campaignId);
const draft = async (parcelIds = parcels) =>
  (await newCampaign(records, accountId, parcelIds)).campaign.id;
const show = (campaignId: string) => showCampaign(records.db, { accountId, campaignId });
const apiOrders = async () => (await caller.ok<{ orders: Json[] }>('/v1/orders?limit=100')).orders;

/** A campaign that was moved by hand as far as this; from production on, the vendor has its cards. */
async function campaignAt(state: PostcardState): Promise<string> {
  const id = await draft();
  for (let at: PostcardState = 'draft'; at !== state; at = nextPostcardState(at)!) {
    await advance(id);
    await submit(id);
  }
  return id;
}

describe('a new campaign', () => {
  it('is at draft, with one card for each lead that has an address, and is no event', async () => {
    const without = await newAddressees(records, 2, 'no_address');
    const made = await newCampaign(records, accountId, [...parcels, ...without]);
    expect(made).toMatchObject({ cards: 3, withoutAddress: without.sort() });
    expect(made.campaign).toMatchObject({
      ...{ accountId, name: 'Spring', state: 'draft', mailedAt: null, estDeliveryDate: null },
      ...{ dueAt: null, cancelledAt: null },
    });
    const cards = await cardRows(records, made.campaign.id);
    expect(cards.map(({ parcelId }) => parcelId)).toEqual([...parcels].sort());
    expect(new Set(cards.map(({ batchId }) => batchId)).size).toBe(1);
    for (const card of cards) {
      expect(card).toMatchObject({
        ...{ service: 'POSTCARD', status: 'QUEUED', postcardState: 'draft', vendorStatus: null },
        ...{ priceCents: PRICE_CENTS.POSTCARD, listId: made.campaign.listId, listName: 'Owners' },
      });
    }
    expect(await events()).toEqual([]);
    expect(await tasks()).toEqual([]);
    expect(await listCampaigns(records.db, accountId, 10)).toMatchObject([
      { id: made.campaign.id },
    ]);
  });

  it.each([
    ['of an empty list', () => [] as string[], 'list'],
    ['of a list without addresses', () => newAddressees(records, 2, 'no_address'), 'list'],
  ])('%s is refused, and nothing is made', async (_what, parcelIds, field) => {
    await expect(newCampaign(records, accountId, await parcelIds())).rejects.toMatchObject({
      ...{ code: 'bad_request', field },
    });
    expect(await listCampaigns(records.db, accountId, 10)).toEqual([]);
  });

  it("without a name, or of somebody else's list, is refused", async () => {
    const other = (await records.newAccount()).id;
    const theirs = await createList(records.db, {
      accountId: other,
      name: 'L',
      parcelIds: parcels,
    });
    const make = (wish: object) =>
      createCampaign(records.context, { accountId, listId: theirs.id, name: 'N', ...wish });
    await expect(make({})).rejects.toMatchObject({ code: 'not_found' });
    await expect(make({ name: ' ' })).rejects.toMatchObject({ field: 'name' });
  });

  it('of somebody else is not found', async () => {
    const id = await draft();
    const which = { accountId: (await records.newAccount()).id, campaignId: id };
    for (const verb of [
      () => advanceCampaign(records.context, which),
      () => cancelCampaign(records.context, which),
      () => showCampaign(records.db, which),
    ]) {
      await expect(verb()).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('each step', () => {
  it('moves the campaign, its cards and their orders, and is one event with the full state', async () => {
    const id = await draft();
    const statuses = {
      production: 'PAID',
      mailed: 'FULFILLED',
      delivered_est: 'FULFILLED',
    } as const;
    const { shape } = EVENT_CATALOGUE['postcard.status_changed'].data;
    const fields = Object.keys(shape).filter((name) => name !== 'fixture');
    for (const [i, state] of (['production', 'mailed', 'delivered_est'] as const).entries()) {
      const campaign = await advance(id, state);
      await submit(id);
      expect(campaign.state).toBe(state);
      const all = await events();
      expect(all).toHaveLength(i + 1);
      const { data, subject } = all[i]!;
      expect(subject).toBe(`campaign:${id}`);
      expect(Object.keys(data).sort()).toEqual([...fields].sort());
      expect(data).toMatchObject({
        ...{ campaign_id: id, campaign_name: 'Spring', list_id: campaign.listId, state },
        ...{ state_label: POSTCARD_STATE_LABELS[state], cards: 3, by_state: { [state]: 3 } },
        ...{ mailed_at: campaign.mailedAt, est_delivery_date: campaign.estDeliveryDate },
        campaign_url: `https://app.example.com/campaigns/${id}`,
      });
      expect(Object.values(data.by_state).reduce((sum, n) => sum! + n!, 0)).toBe(data.cards);
      // What the Read API answers agrees with the event.
      for (const order of await apiOrders()) {
        expect(order).toMatchObject({ service: 'POSTCARD', status: statuses[state] });
        expect(order).toMatchObject({ list_id: data.list_id, contacts: null });
        expect(order['postcard']).toMatchObject({ state, mailed_at: data.mailed_at });
        expect(order['fulfilled_at']).toBe(state === 'production' ? null : data.mailed_at);
      }
    }
  });

  it('mailed: the day of delivery is the day of mailing and as many days as the vendor takes', async () => {
    const campaign = await show(await campaignAt('mailed'));
    const expected = Date.parse(campaign.mailedAt!) + POSTCARD_PACE.deliveryMs;
    expect(campaign.estDeliveryDate).toBe(new Date(expected).toISOString().slice(0, 10));
    expect(Math.abs(Date.parse(campaign.dueAt!) - expected)).toBeLessThan(2);
  });

  it('draft to production has the workflow started; a later step by hand tells it', async () => {
    const id = await draft();
    const task = { key: `postcards:${id}`, task: 'postcards', subjectId: id };
    await advance(id);
    expect(await tasks()).toMatchObject([{ ...task, generation: 0 }]);
    await submit(id);
    await advance(id);
    expect(await tasks()).toMatchObject([{ ...task, generation: 1 }]);
  });

  it('has a later created_at than the one before', async () => {
    await campaignAt('delivered_est');
    const times = (await events()).map(({ created_at: at }) => at);
    expect([...new Set(times)].sort()).toEqual(times);
    expect(times).toHaveLength(3);
  });
});

describe('every other move is refused, and changes nothing', () => {
  const moves = POSTCARD_STATES.flatMap((from) =>
    POSTCARD_STATES.filter((to) => nextPostcardState(from) !== to).map((to) => [from, to] as const),
  );

  it.each(moves)('%s to %s', async (from, to) => {
    const id = await campaignAt(from);
    const before = [await show(id), await cardRows(records, id), (await events()).length];
    const next = nextPostcardState(from);
    await expect(advance(id, to)).rejects.toMatchObject({
      ...{ code: 'conflict', message: new RegExp(next ? `may move to ${next}` : 'final') },
    });
    expect([await show(id), await cardRows(records, id), (await events()).length]).toEqual(before);
  });

  it('to a state that there is not', async () => {
    const id = await draft();
    await expect(advance(id, 'posted')).rejects.toMatchObject({
      ...{ code: 'bad_request', field: 'to', message: /draft, production, mailed, delivered_est/ },
    });
  });

  it('production to mailed while the vendor has not taken the cards, by hand and by the workflow', async () => {
    const id = await draft();
    await advance(id);
    const before = [await show(id), await cardRows(records, id), await tasks()];
    const refusal = { code: 'conflict', message: /not with the print vendor yet/ };
    await expect(advance(id)).rejects.toMatchObject(refusal);
    await expect(advance(id, 'mailed')).rejects.toMatchObject(refusal);
    const step = advanceFrom(records.context, { campaignId: id, from: 'production' });
    await expect(step).rejects.toMatchObject(refusal);
    expect([await show(id), await cardRows(records, id), await tasks()]).toEqual(before);
    expect(await events()).toHaveLength(1);
    await submit(id);
    expect(await advance(id)).toMatchObject({ state: 'mailed' });
    expect(await show(id)).toMatchObject({ byState: { mailed: 3 } });
  });

  it('production to mailed while the vendor is being asked: mailed only what it took', async () => {
    const wrong = await newAddressees(records, 1, 'incomplete_address');
    const id = await draft([...parcels, ...wrong]);
    await advance(id);
    await Promise.allSettled([submit(id), advance(id), advance(id), submit(id)]);
    const { state, submittedAt } = await show(id);
    expect(submittedAt).not.toBeNull();
    if (state === 'production') await advance(id);
    expect(await show(id)).toMatchObject({ byState: { mailed: 3, production: 1 } });
  });

  it('beyond the end', async () => {
    const id = await campaignAt('delivered_est');
    await expect(advance(id)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('the vendor', () => {
  it('rejects cards: they are CANCELLED where they stopped, and stay in the counts', async () => {
    const wrong = [
      ...(await newAddressees(records, 1, 'undeliverable_address')),
      ...(await newAddressees(records, 1, 'incomplete_address')),
    ];
    const id = await draft([...parcels, ...wrong]);
    await advance(id);
    await submit(id);
    const expected = await show(id);
    expect(expected).toMatchObject({ byStatus: { PAID: 3, CANCELLED: 2 } });
    expect(expected.submittedAt).not.toBeNull();
    await submit(id);
    expect(await show(id)).toEqual(expected);
    await advance(id);
    await advance(id);
    const [production, mailed, delivered] = (await events()).map(({ data }) => data);
    expect(production?.by_state).toEqual({ production: 5 });
    expect(mailed).toMatchObject({ cards: 5, by_state: { mailed: 3, production: 2 } });
    expect(delivered).toMatchObject({ cards: 5, by_state: { delivered_est: 3, production: 2 } });
    const cards = (await apiOrders()).filter(({ status }) => status === 'CANCELLED');
    expect(cards.map(({ postcard }) => (postcard as Json)['vendor_status']).sort()).toEqual([
      ...['rejected: incomplete_address', 'rejected: undeliverable_address'],
    ]);
    for (const { postcard, fulfilled_at } of cards) {
      expect(fulfilled_at).toBeNull();
      expect(postcard).toMatchObject({ state: 'production', mailed_at: null });
    }
  });

  it('rejects every card: the campaign stays in production and cannot be mailed', async () => {
    const id = await draft(await newAddressees(records, 2, 'incomplete_address'));
    await advance(id);
    await submit(id);
    const expected = { state: 'production', dueAt: null, everyCardRejected: true };
    expect(await show(id)).toMatchObject(expected);
    expect(await listCampaigns(records.db, accountId, 10)).toMatchObject([expected]);
    await expect(advance(id)).rejects.toMatchObject({ code: 'conflict', message: /every card/ });
    expect(await show(id)).toMatchObject({ state: 'production', mailedAt: null });
    expect(await events()).toHaveLength(1);
  });

  it('fails without its words being repeated, and takes no effect', async () => {
    const id = await draft();
    await advance(id);
    const failing: PostcardVendor = {
      submit: ({ cards }) => Promise.reject(new Error(`cannot print for ${cards[0]?.recipient}`)),
    };
    await expect(submit(id, failing)).rejects.toThrow(/^The vendor did not answer \(Error\)\.$/);
    const garbled: PostcardVendor = { submit: () => Promise.resolve({ rejected: 'Larkspur' }) };
    await expect(submit(id, garbled)).rejects.toMatchObject({ code: 'bad_request' });
    expect(await show(id)).toMatchObject({ submittedAt: null, byStatus: { PAID: 3 } });
  });

  it('answers once more after the campaign was moved on by hand: nothing changes', async () => {
    const id = await draft();
    await advance(id);
    const late: PostcardVendor = {
      async submit({ cards }) {
        // A twin of this request was quicker.
        await submit(id);
        await advance(id);
        return { rejected: cards.map((card) => ({ order_id: card.orderId, reason: 'no such' })) };
      },
    };
    await submit(id, late);
    expect(await show(id)).toMatchObject({ state: 'mailed', byStatus: { FULFILLED: 3 } });
    expect((await events()).at(-1)?.data.by_state).toEqual({ mailed: 3 });
  });

  it("cannot touch another campaign's cards", async () => {
    const [one, two] = [await draft(), await draft()];
    await advance(one);
    await advance(two);
    const theirs = await cardRows(records, two);
    const confused: PostcardVendor = {
      submit: () =>
        Promise.resolve({
          rejected: theirs.map(({ id }) => ({ order_id: id, reason: 'other' })),
        }),
    };
    await submit(one, confused);
    expect(await show(two)).toMatchObject({ byStatus: { PAID: 3 } });
  });
});

describe('at once', () => {
  it('two who name the step: one moves it, the other is told, one event', async () => {
    const id = await draft();
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => advance(id, 'production')));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await events()).toHaveLength(1);
    expect(await show(id)).toMatchObject({ state: 'production' });
  });

  it('the workflow twice, and a person: one step, one event', async () => {
    const id = await campaignAt('production');
    await submit(id);
    const step = () => advanceFrom(records.context, { campaignId: id, from: 'production' });
    await Promise.allSettled([step(), step(), advance(id, 'mailed'), step()]);
    expect(await show(id)).toMatchObject({ state: 'mailed' });
    expect((await events()).map(({ data }) => data.state)).toEqual(['production', 'mailed']);
    await step();
    expect(await show(id)).toMatchObject({ state: 'mailed' });
  });

  it('a cancellation and a step: one of them, never both', async () => {
    for (let i = 0; i < 5; i += 1) {
      const id = await draft();
      const results = await Promise.allSettled([
        cancelCampaign(records.context, { accountId, campaignId: id }),
        advance(id),
      ]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const { state, cancelledAt, byStatus } = await show(id);
      expect(byStatus).toEqual(state === 'draft' ? { CANCELLED: 3 } : { PAID: 3 });
      expect(cancelledAt === null).toBe(state === 'production');
    }
  });
});

it('the database keeps states apart that contradict each other', async () => {
  const id = await draft();
  const at = '2026-01-01T00:00:00Z';
  for (const [constraint_name, columns] of [
    ['campaigns_moves', { state: 'mailed' as const, submittedAt: at }],
    ['campaigns_moves', { mailedAt: at }],
    ['campaigns_moves', { dueAt: at }],
    ['campaigns_moves', { state: 'production' as const, dueAt: at, cancelledAt: at }],
    ['campaigns_submitted', { state: 'mailed' as const, mailedAt: at }],
  ] as const) {
    const write = records.db.update(campaigns).set(columns).where(eq(campaigns.id, id));
    await expect(write.execute()).rejects.toMatchObject({ cause: { constraint_name } });
  }
});
