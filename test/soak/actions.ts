import { and, asc, eq, type SQL } from 'drizzle-orm';
import { campaigns, deals, orders } from '../../drizzle/schema.ts';
import type { Db } from '../../src/db/client.ts';
import { createDeal } from '../../src/deals/create-deal.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { updateDeal } from '../../src/deals/update-deal.ts';
import { DEAL_MOVES } from '../../src/domain/deal-status.ts';
import { PLANS } from '../../src/domain/plan.ts';
import { pauseEndpoint } from '../../src/endpoints/pause-endpoint.ts';
import { resumeEndpoint } from '../../src/endpoints/resume-endpoint.ts';
import { updateEndpoint } from '../../src/endpoints/update-endpoint.ts';
import { EVENT_TYPES } from '../../src/events/catalogue.ts';
import { saveParcel } from '../../src/parcels/parcels.ts';
import { advanceCampaign } from '../../src/postcards/advance-campaign.ts';
import { cancelCampaign } from '../../src/postcards/cancel-campaign.ts';
import { createCampaign } from '../../src/postcards/create-campaign.ts';
import { startReplay } from '../../src/redelivery/start-replay.ts';
import { startRescore } from '../../src/rescore/start-rescore.ts';
import type { ServiceContext } from '../../src/service-context.ts';
import { cancelOrders } from '../../src/skip-trace/cancel-orders.ts';
import { completeSkipTrace } from '../../src/skip-trace/complete-skip-trace.ts';
import { orderSkipTrace } from '../../src/skip-trace/order-skip-trace.ts';
import { payOrders } from '../../src/skip-trace/pay-orders.ts';
import { randomSignals } from '../rescore/world.ts';
import { setPlan } from '../skip-trace/tracing.ts';
import type { SeededRandom } from '../support/random.ts';
import type { TestRecords } from '../support/records.ts';
import type { Customer, Market } from './customers.ts';

/** What actions work with. */
export interface Stage {
  records: TestRecords;
  context: ServiceContext;
  market: Market;
  /** Reads an account's things through the Read API. */
  readApi(customer: Customer, random: SeededRandom): Promise<void>;
}

/** One kind of action; false when there was nothing that it could have been done to. */
type Action = (stage: Stage, customer: Customer, random: SeededRandom) => Promise<boolean | void>;

/** How often each kind is drawn, in parts of the sum. */
const ACTIONS: Readonly<Record<string, readonly [share: number, Action]>> = {
  'deal create': [10, newDeal],
  'deal move': [32, move],
  'deal update': [6, touch],
  'trace order': [8, order],
  'trace pay': [4, pay],
  'trace cancel': [2, cancelTrace],
  'trace complete': [5, complete],
  'campaign create': [3, newCampaign],
  'campaign advance': [6, advance],
  'campaign cancel': [1, cancelDraft],
  'parcel save': [14, save],
  rescore: [2, rescore],
  plan: [3, changePlan],
  'endpoint pause': [2, pause],
  'endpoint resume': [4, resume],
  'endpoint subscribe': [1, resubscribe],
  'read api': [4, ({ readApi }, customer, random) => readApi(customer, random)],
};

export const ACTION_KINDS = Object.keys(ACTIONS);

/**
 * Does one action at random, for an account at random, and counts what was done. Now and then it is
 * one of those that nobody has done yet, so that short runs have all of them.
 */
export async function actAtRandom(
  stage: Stage,
  random: SeededRandom,
  done: Map<string, number>,
): Promise<void> {
  const customer = random.pick(stage.market.customers);
  const missing = Object.entries(ACTIONS).filter(([kind]) => !done.get(kind));
  const kinds = missing.length > 0 && random.next() < 0.3 ? missing : Object.entries(ACTIONS);
  let left = random.next() * kinds.reduce((sum, [, [share]]) => sum + share, 0);
  const [kind, [, act]] = kinds.find(([, [share]]) => (left -= share) < 0) ?? kinds[0]!;
  done.set(kind, done.get(kind) ?? 0);
  if ((await act(stage, customer, random)) !== false) done.set(kind, (done.get(kind) ?? 0) + 1);
}

async function newDeal({ context, market }: Stage, customer: Customer, random: SeededRandom) {
  const { accountId } = customer;
  const parcelId = random.pick(market.parcelIds);
  await createDeal(context, { accountId, parcelId, changes: privateFields(customer, random) });
}

async function move({ context }: Stage, customer: Customer, random: SeededRandom) {
  const { accountId } = customer;
  const rows = await context.db
    .select({ id: deals.id, status: deals.status })
    .from(deals)
    .where(eq(deals.accountId, accountId))
    .orderBy(asc(deals.id));
  const open = rows.filter(({ status }) => DEAL_MOVES[status].length > 0);
  // Few at a time, so that actors meet at the same ones.
  const deal = open.length > 0 && random.pick(open.slice(-4));
  if (!deal) return false;
  // The last moves lead on, so that deals get somewhere.
  const to = random.pick(DEAL_MOVES[deal.status].slice(-3));
  const actuals =
    to === 'CLOSED' && random.next() < 0.7 ? { actual_fee_cents: random.integer(1e6) } : {};
  await moveDeal(context, { accountId, dealId: deal.id, to, actuals });
  return true;
}

async function touch({ context }: Stage, customer: Customer, random: SeededRandom) {
  const { accountId } = customer;
  const deal = await one(context.db, random, deals, eq(deals.accountId, accountId));
  if (!deal) return false;
  const changes = privateFields(customer, random);
  await updateDeal(context, { accountId, dealId: deal.id, changes });
  return true;
}

/** The number and the address are for the Read API only; the rest is in events. */
function privateFields({ marker, accountId }: Customer, random: SeededRandom) {
  return {
    ...{ buyer_name: `Buyer ${marker}`, note: `Note of ${marker}`, next_action: `Ask ${marker}` },
    buyer_phone: `+1 972 555 01${10 + random.integer(90)}`,
    buyer_email: `buyer.${marker}@example.org`,
    title_company: `Title ${accountId}`,
  };
}

async function order({ context }: Stage, customer: Customer, random: SeededRandom) {
  const { accountId, own } = customer;
  const parcelIds = Array.from({ length: 1 + random.integer(3) }, () => random.pick(own));
  await orderSkipTrace(context, { accountId, parcelIds }, { pay: random.next() < 0.6 });
}

async function pay({ context }: Stage, { accountId }: Customer, random: SeededRandom) {
  const found = await trace(context.db, random, accountId, 'QUEUED');
  if (!found) return false;
  await payOrders(context, { accountId, batchId: found.batchId });
  return true;
}

async function cancelTrace({ context }: Stage, { accountId }: Customer, random: SeededRandom) {
  const status = random.pick(['QUEUED', 'PAID'] as const);
  const found = await trace(context.db, random, accountId, status);
  if (!found) return false;
  await cancelOrders(context, { accountId, batchId: found.batchId });
  return true;
}

/** By hand, in competition with the batch's workflow. */
async function complete(stage: Stage, customer: Customer, random: SeededRandom) {
  const { context } = stage;
  const { accountId } = customer;
  await orderSkipTrace(context, { accountId, parcelIds: [random.pick(customer.own)] });
  const queued = await trace(context.db, random, accountId, 'QUEUED');
  if (!queued) return false;
  await payOrders(context, { accountId, batchId: queued.batchId });
  const phone = (type: string) => ({
    ...{ number: `(214) 555-01${10 + random.integer(90)}`, type, dnc: 'clear' },
  });
  const result = {
    ...{ traced_at: new Date().toISOString(), dnc_screened: true },
    ...{ phones: [phone('mobile'), phone('landline')], emails: [`${queued.id}@example.net`] },
  };
  const style = { serviceName: context.serviceName, urls: context.urls };
  await completeSkipTrace({ db: context.db, ...style }, { accountId, orderId: queued.id, result });
  return true;
}

async function newCampaign({ context }: Stage, customer: Customer, random: SeededRandom) {
  const { accountId, marker } = customer;
  const listId = random.pick(customer.listIds);
  await createCampaign(context, { accountId, listId, name: `Campaign ${marker}` });
}

async function advance({ context }: Stage, { accountId }: Customer, random: SeededRandom) {
  const campaign = await one(context.db, random, campaigns, eq(campaigns.accountId, accountId));
  if (!campaign) return false;
  await advanceCampaign(context, { accountId, campaignId: campaign.id });
  return true;
}

async function cancelDraft({ context }: Stage, { accountId }: Customer, random: SeededRandom) {
  const draft = and(eq(campaigns.accountId, accountId), eq(campaigns.state, 'draft'));
  const campaign = await one(context.db, random, campaigns, draft);
  if (!campaign) return false;
  await cancelCampaign(context, { accountId, campaignId: campaign.id });
  return true;
}

async function save({ context, market }: Stage, _: Customer, random: SeededRandom) {
  const id = random.pick(market.parcelIds);
  const [county = '', account_num = ''] = id.split(':');
  await saveParcel(context.db, {
    ...{ county, account_num, address: `${account_num} Elm St, Millbrook, TX 75010` },
    ...{ city: 'Millbrook', zip: '75010', ...randomSignals(random) },
  });
}

async function rescore({ context }: Stage) {
  await startRescore(context.db);
}

async function changePlan({ records }: Stage, { accountId }: Customer, random: SeededRandom) {
  await setPlan(records, accountId, random.pick(PLANS));
}

/** The first endpoint stays as it is: it has to hear of everything. */
function changeable({ accountId, endpoints }: Customer, random: SeededRandom) {
  return { accountId, endpointId: random.pick(endpoints.slice(1)).endpointId };
}

async function pause({ context }: Stage, customer: Customer, random: SeededRandom) {
  await pauseEndpoint(context, changeable(customer, random));
}

async function resume({ context }: Stage, customer: Customer, random: SeededRandom) {
  const which = changeable(customer, random);
  await resumeEndpoint(context, which);
  if (random.next() < 0.5) await startReplay(context, which);
}

async function resubscribe({ context }: Stage, customer: Customer, random: SeededRandom) {
  const eventTypes = EVENT_TYPES.filter(() => random.next() < 0.6);
  if (eventTypes.length === 0) return false;
  await updateEndpoint(context, { ...changeable(customer, random), eventTypes });
  return true;
}

async function trace(
  db: Db,
  random: SeededRandom,
  accountId: string,
  status: 'QUEUED' | 'PAID',
): Promise<typeof orders.$inferSelect | undefined> {
  const service = eq(orders.service, 'SKIP_TRACE');
  const of = and(eq(orders.accountId, accountId), eq(orders.status, status), service);
  return (await one(db, random, orders, of)) as typeof orders.$inferSelect | undefined;
}

/** One of the newest rows that fit. */
async function one(
  db: Db,
  random: SeededRandom,
  table: typeof deals | typeof orders | typeof campaigns,
  fits: SQL | undefined,
): Promise<{ id: string } | undefined> {
  const rows = (await db.select().from(table).where(fits).orderBy(asc(table.id))) as {
    id: string;
  }[];
  return rows.length > 0 ? random.pick(rows.slice(-8)) : undefined;
}
