import { desc, eq } from 'drizzle-orm';
import { campaigns } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import {
  countCards,
  everyCardRejected,
  requireCampaign,
  type Campaign,
  type CardCounts,
  type WhichCampaign,
} from './campaign.ts';

/** A campaign, and whether it can come to nothing more because every card was rejected. */
export type ListedCampaign = Campaign & { everyCardRejected: boolean };

/** The same with its cards counted. */
export type ShownCampaign = ListedCampaign & CardCounts;

/** A campaign of the account, or `not_found`. */
export async function showCampaign(db: Db, which: WhichCampaign): Promise<ShownCampaign> {
  const campaign = await requireCampaign(db, which);
  return { ...listed(campaign), ...(await countCards(db, campaign)) };
}

/** An account's campaigns, newest first. */
export async function listCampaigns(
  db: Db,
  accountId: string,
  limit: number,
): Promise<ListedCampaign[]> {
  const rows = await db
    .select()
    .from(campaigns)
    .where(eq(campaigns.accountId, accountId))
    .orderBy(desc(campaigns.createdAt), desc(campaigns.id))
    .limit(limit);
  return rows.map(listed);
}

function listed(campaign: Campaign): ListedCampaign {
  return { ...campaign, everyCardRejected: everyCardRejected(campaign) };
}
