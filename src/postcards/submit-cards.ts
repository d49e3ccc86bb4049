import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { campaigns, orders, parcels } from '../../drizzle/schema.ts';
import { callVendor } from '../call-vendor.ts';
import type { Db, Tx } from '../db/client.ts';
import type { PostcardPace } from '../domain/postcard-pace.ts';
import { campaignById, cardsOf, type Campaign } from './campaign.ts';
import { milliseconds } from './campaign-step.ts';
import { parseVendorAnswer, type Rejection } from './vendor-answer.ts';
import type { Card, PostcardVendor } from './vendor.ts';

/** The longest that handing a campaign over may take. */
const LIMIT_MS = 120_000;

export interface SubmitContext {
  db: Db;
  printer: PostcardVendor;
  postcardPace: PostcardPace;
}

/**
 * Hands the cards of a campaign in production to the vendor, and records which it rejected: those are
 * CANCELLED where they stopped. Run twice, the vendor knows the campaign, and what is recorded stays.
 * When somebody has moved the campaign on meanwhile, its answer changes nothing.
 */
export async function submitCards(
  { db, printer, postcardPace }: SubmitContext,
  campaignId: string,
  signal?: AbortSignal,
): Promise<void> {
  const campaign = await campaignById(db, campaignId);
  if (!awaitsSubmission(campaign)) return;
  const cards = await cardsToPrint(db, campaign);
  const answer = await callVendor(LIMIT_MS, signal, (either) =>
    printer.submit({ campaignId, cards, signal: either }),
  );
  const rejected = parseVendorAnswer(answer);
  await db.transaction(async (tx) => {
    const now = await campaignById(tx, campaignId, { lock: true });
    if (!awaitsSubmission(now)) return;
    await rejectCards(tx, now, rejected);
    const taken = await tx
      .update(orders)
      .set({ vendorStatus: 'in_production' })
      .where(and(cardsOf(now), eq(orders.status, 'PAID')));
    const mailing = sql`clock_timestamp() + ${milliseconds(postcardPace.productionMs)}`;
    await tx
      .update(campaigns)
      .set({ submittedAt: sql`clock_timestamp()`, dueAt: taken.count > 0 ? mailing : null })
      .where(eq(campaigns.id, campaignId));
  });
}

function awaitsSubmission({ state, submittedAt }: Campaign): boolean {
  return state === 'production' && submittedAt === null;
}

async function cardsToPrint(db: Db, campaign: Campaign): Promise<Card[]> {
  return db
    .select({
      orderId: orders.id,
      parcelId: parcels.id,
      recipient: parcels.ownerName,
      mailingAddress: parcels.mailingAddress,
    })
    .from(orders)
    .innerJoin(parcels, eq(parcels.id, orders.parcelId))
    .where(and(cardsOf(campaign), eq(orders.status, 'PAID')))
    .orderBy(asc(orders.id));
}

/** PAID → CANCELLED, with the vendor's reason; the card's state stays where it stopped. */
async function rejectCards(
  tx: Tx,
  campaign: Campaign,
  rejected: Map<string, Rejection>,
): Promise<void> {
  for (const reason of new Set(rejected.values())) {
    const ids = [...rejected].filter(([, why]) => why === reason).map(([id]) => id);
    await tx
      .update(orders)
      .set({ status: 'CANCELLED', vendorStatus: `rejected: ${reason}` })
      .where(and(cardsOf(campaign), eq(orders.status, 'PAID'), inArray(orders.id, ids)));
  }
}
