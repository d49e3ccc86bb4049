import { and, count, desc, eq, sql } from 'drizzle-orm';
import { campaigns, orders } from '../../drizzle/schema.ts';
import type { Db, Tx } from '../db/client.ts';
import type { OrderStatus } from '../domain/order-status.ts';
import { POSTCARD_STATES, type PostcardState } from '../domain/postcard-state.ts';
import { notFound } from '../errors.ts';

/** A campaign of postcards as it is stored; its cards are orders. */
export type Campaign = typeof campaigns.$inferSelect;

/** Which campaign. */
export interface WhichCampaign {
  accountId: string;
  campaignId: string;
}

/** A campaign's cards, counted: those that the vendor rejected are where they stopped. */
export interface CardCounts {
  cards: number;
  byState: Partial<Record<PostcardState, number>>;
  byStatus: Partial<Record<OrderStatus, number>>;
}

/** The subject that a campaign's events are ordered by. */
export function campaignSubject(campaignId: string): string {
  return `campaign:${campaignId}`;
}

/** A campaign of the account, or `not_found`; `lock` makes its changes take turns. */
export async function requireCampaign(
  db: Db | Tx,
  { accountId, campaignId }: WhichCampaign,
  { lock = false }: { lock?: boolean } = {},
): Promise<Campaign> {
  const query = db
    .select()
    .from(campaigns)
    .where(and(eq(campaigns.accountId, accountId), eq(campaigns.id, campaignId)));
  const [campaign] = await (lock ? query.for('update') : query);
  if (!campaign) throw notFound('campaign');
  return campaign;
}

/** The same by its id alone, for its workflow. */
export async function campaignById(
  db: Db | Tx,
  campaignId: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<Campaign> {
  const query = db.select().from(campaigns).where(eq(campaigns.id, campaignId));
  const [campaign] = await (lock ? query.for('update') : query);
  if (!campaign) throw notFound(`campaign ${campaignId}`);
  return campaign;
}

/** Whether the vendor took none of the cards: then it has no next step, and it is not mailed. */
export function everyCardRejected({ state, submittedAt, dueAt }: Campaign): boolean {
  return state === 'production' && submittedAt !== null && dueAt === null;
}

/** The cards of a campaign. */
export function cardsOf({ accountId, id }: Pick<Campaign, 'accountId' | 'id'>) {
  return and(eq(orders.accountId, accountId), eq(orders.campaignId, id));
}

/** The place of a card's state in the sequence. */
const furthest = sql`array_position(${sql.param([...POSTCARD_STATES])}::text[], ${orders.postcardState})`;

/** Counts the cards as they are. */
export async function countCards(
  db: Db,
  campaign: Pick<Campaign, 'accountId' | 'id'>,
): Promise<CardCounts> {
  const rows = await db
    .select({ state: orders.postcardState, status: orders.status, cards: count() })
    .from(orders)
    .where(cardsOf(campaign))
    .groupBy(orders.postcardState, orders.status)
    // The furthest state first, so that a payload reads the same every time.
    .orderBy(desc(furthest), orders.status);
  const counts: CardCounts = { cards: 0, byState: {}, byStatus: {} };
  for (const { state, status, cards } of rows) {
    counts.cards += cards;
    if (state) counts.byState[state] = (counts.byState[state] ?? 0) + cards;
    counts.byStatus[status] = (counts.byStatus[status] ?? 0) + cards;
  }
  return counts;
}
