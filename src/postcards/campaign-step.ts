import { and, eq, sql, type SQL } from 'drizzle-orm';
import { campaigns, orders } from '../../drizzle/schema.ts';
import type { Tx } from '../db/client.ts';
import type { OrderStatus } from '../domain/order-status.ts';
import type { PostcardPace } from '../domain/postcard-pace.ts';
import type { PostcardState } from '../domain/postcard-state.ts';
import { conflict } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import type { AppUrls } from '../urls.ts';
import { campaignEventData } from './campaign-event.ts';
import { campaignSubject, cardsOf, countCards, type Campaign } from './campaign.ts';

export interface StepContext {
  urls: AppUrls;
  postcardPace: PostcardPace;
}

/** A state that a campaign can be moved to. */
type LaterState = Exclude<PostcardState, 'draft'>;

/** What the orders of the cards are before and after a step: a card in the post is done (spec §3.2). */
const ORDER_STEPS: Readonly<
  Record<LaterState, readonly [before: OrderStatus, after: OrderStatus]>
> = {
  production: ['QUEUED', 'PAID'],
  mailed: ['PAID', 'FULFILLED'],
  delivered_est: ['FULFILLED', 'FULFILLED'],
};

/**
 * Moves a campaign, whose row is locked, to its next state: its cards with it, and one
 * postcard.status_changed (spec §3.3). Cards that were rejected stay where they are. A `conflict` when
 * none is left to move, and for the mailing of cards that the vendor has not taken yet.
 */
export async function stepCampaign(
  tx: Tx,
  { urls, postcardPace }: StepContext,
  before: Campaign,
  to: LaterState,
): Promise<Campaign> {
  if (to === 'mailed') requireSubmitted(before);
  const [campaign] = await tx
    .update(campaigns)
    .set({ state: to, ...campaignColumns(to, postcardPace), updatedAt: sql`clock_timestamp()` })
    .where(eq(campaigns.id, before.id))
    .returning();
  if (!campaign) throw new Error('update returned no row');
  const [from, status] = ORDER_STEPS[to];
  const moved = await tx
    .update(orders)
    .set({ postcardState: to, status, ...cardColumns(to, campaign) })
    .where(and(cardsOf(campaign), eq(orders.status, from), eq(orders.postcardState, before.state)));
  if (moved.count === 0) throw conflict('The vendor rejected every card; none is left to be sent.');
  await recordEvent(tx, {
    accountId: campaign.accountId,
    type: 'postcard.status_changed',
    subject: campaignSubject(campaign.id),
    data: campaignEventData(campaign, await countCards(tx, campaign), urls),
  });
  return campaign;
}

/** What nobody has been asked to print cannot be in the post. */
function requireSubmitted({ submittedAt }: Campaign): void {
  if (submittedAt !== null) return;
  throw conflict(
    'The campaign is not with the print vendor yet, so its cards cannot be mailed; a worker hands ' +
      'them over.',
  );
}

/** What changes with the state; one clock for all of them, so that they fit together. */
function campaignColumns(to: LaterState, { deliveryMs }: PostcardPace) {
  const now = sql<string>`statement_timestamp()`;
  const delivered = sql<string>`statement_timestamp() + ${milliseconds(deliveryMs)}`;
  switch (to) {
    case 'production':
      // To be handed to the vendor at once.
      return { dueAt: now };
    case 'mailed':
      return {
        ...{ mailedAt: now, dueAt: delivered },
        estDeliveryDate: sql<string>`((${delivered}) at time zone 'UTC')::date`,
      };
    case 'delivered_est':
      return { dueAt: null };
  }
}

function cardColumns(to: LaterState, { mailedAt }: Campaign) {
  switch (to) {
    case 'production':
      return { paidAt: sql`clock_timestamp()`, vendorStatus: 'ordered' };
    case 'mailed':
      return { mailedAt, fulfilledAt: mailedAt, vendorStatus: 'mailed' };
    case 'delivered_est':
      return { vendorStatus: 'delivered_est' };
  }
}

/** A length of time for PostgreSQL. */
export function milliseconds(length: number): SQL {
  return sql`${`${length} milliseconds`}::interval`;
}
