import { asyncLocalStorage } from '@temporalio/activity';
import type { PostcardState } from '../src/domain/postcard-state.ts';
import { advanceFrom, type AdvanceContext } from '../src/postcards/advance-campaign.ts';
import { campaignStanding } from '../src/postcards/campaign-standing.ts';
import { submitCards, type SubmitContext } from '../src/postcards/submit-cards.ts';
import type { CampaignStanding } from '../workflows/contract.ts';

export interface PostcardDependencies extends AdvanceContext, SubmitContext {}

interface WhichCampaign {
  campaignId: string;
}

/** The steps of a campaign's workflow; each answers where the campaign stands afterwards. */
export function createPostcardActivities(context: PostcardDependencies) {
  const standing = (campaignId: string) => campaignStanding(context.db, campaignId);
  return {
    campaignStanding: ({ campaignId }: WhichCampaign): Promise<CampaignStanding> =>
      standing(campaignId),

    async submitCards({ campaignId }: WhichCampaign): Promise<CampaignStanding> {
      await submitCards(context, campaignId, asyncLocalStorage.getStore()?.cancellationSignal);
      return standing(campaignId);
    },

    async advanceCampaign(
      input: WhichCampaign & { from: PostcardState },
    ): Promise<CampaignStanding> {
      await advanceFrom(context, input);
      return standing(input.campaignId);
    },
  };
}
