import { and, eq, sql } from 'drizzle-orm';
import { campaigns, orders } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { conflict } from '../errors.ts';
import {
  cardsOf,
  everyCardRejected,
  requireCampaign,
  type Campaign,
  type WhichCampaign,
} from './campaign.ts';

/**
 * Cancels a draft and its cards, or a campaign in production whose cards were all rejected, which
 * nothing else ends. It stays where it is, and there is no event: spec §3.3 has them for steps forward
 * only. A `conflict` once cards are with the vendor, and for a second time.
 */
export async function cancelCampaign({ db }: { db: Db }, which: WhichCampaign): Promise<Campaign> {
  return db.transaction(async (tx) => {
    const before = await requireCampaign(tx, which, { lock: true });
    const { id, state, cancelledAt } = before;
    if (cancelledAt !== null) throw conflict('The campaign is cancelled already.');
    if (state !== 'draft' && !everyCardRejected(before)) {
      throw conflict(
        `The campaign is at ${state}; only a draft can be cancelled, and a campaign in production ` +
          'once the vendor has rejected every card.',
      );
    }
    const now = sql`clock_timestamp()`;
    const [campaign] = await tx
      .update(campaigns)
      .set({ cancelledAt: now, updatedAt: now })
      .where(eq(campaigns.id, id))
      .returning();
    if (!campaign) throw new Error('update returned no row');
    await tx
      .update(orders)
      .set({ status: 'CANCELLED' })
      .where(and(cardsOf(campaign), eq(orders.status, 'QUEUED')));
    return campaign;
  });
}
