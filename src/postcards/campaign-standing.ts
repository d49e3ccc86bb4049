import { eq, sql } from 'drizzle-orm';
import { campaigns } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { nextPostcardState } from '../domain/postcard-state.ts';
import { notFound } from '../errors.ts';
import type { CampaignStanding } from '../../workflows/contract.ts';
import { countCards, type Campaign, type CardCounts } from './campaign.ts';

/**
 * Where a campaign stands and what comes next, for its workflow. The wait is by PostgreSQL's clock,
 * which is the one that set the time.
 */
export async function campaignStanding(db: Db, campaignId: string): Promise<CampaignStanding> {
  const [row] = await db
    .select({
      campaign: campaigns,
      waitMs: sql<number>`greatest(0, coalesce(ceil(extract(epoch from ${campaigns.dueAt} - clock_timestamp()) * 1000), 0))::float8`,
    })
    .from(campaigns)
    .where(eq(campaigns.id, campaignId));
  if (!row) throw notFound(`campaign ${campaignId}`);
  const { campaign, waitMs } = row;
  const counts = await countCards(db, campaign);
  const next = nextStep(campaign, counts);
  return {
    ...{ state: campaign.state, next, cards: counts.cards },
    waitMs: next === null ? 0 : waitMs,
    rejected: counts.byStatus.CANCELLED ?? 0,
  };
}

/** A campaign whose cards were all rejected has nothing more to come, and neither has a draft. */
function nextStep(
  { state, submittedAt, cancelledAt }: Campaign,
  { byStatus }: CardCounts,
): CampaignStanding['next'] {
  if (state === 'draft' || cancelledAt !== null) return null;
  if (state !== 'production') return nextPostcardState(state);
  if (submittedAt === null) return 'submit';
  return (byStatus.PAID ?? 0) > 0 ? 'mailed' : null;
}
