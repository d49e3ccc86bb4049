import { desc, eq } from 'drizzle-orm';
import { campaigns } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import {
  countCards,
  requireCampaign,
  type Campaign,
  type CardCounts,
  type WhichCampaign,
} from './campaign.ts';

/** A campaign with its cards counted. */
export type ShownCampaign = Campaign & CardCounts;

/** A campaign of the account, or `not_found`. */
export async function showCampaign(db: Db, which: WhichCampaign): Promise<ShownCampaign> {
  const campaign = await requireCampaign(db, which);
  return { ...campaign, ...(await countCards(db, campaign)) };
}

/** An account's campaigns, newest first. */
export async function listCampaigns(db: Db, accountId: string, limit: number): Promise<Campaign[]> {
  return db
    .select()
    .from(campaigns)
    .where(eq(campaigns.accountId, accountId))
    .orderBy(desc(campaigns.createdAt), desc(campaigns.id))
    .limit(limit);
}
