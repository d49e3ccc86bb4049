import { POSTCARD_STATE_LABELS } from '../domain/postcard-state.ts';
import type { EventData } from '../events/catalogue.ts';
import type { AppUrls } from '../urls.ts';
import type { Campaign, CardCounts } from './campaign.ts';

/** The full current state of a campaign, as postcard.status_changed carries it (spec §2.3). */
export function campaignEventData(
  campaign: Campaign,
  { cards, byState }: CardCounts,
  urls: AppUrls,
): EventData<'postcard.status_changed'> {
  return {
    campaign_id: campaign.id,
    campaign_name: campaign.name,
    list_id: campaign.listId,
    state: campaign.state,
    state_label: POSTCARD_STATE_LABELS[campaign.state],
    ...{ cards, by_state: byState },
    mailed_at: campaign.mailedAt,
    est_delivery_date: campaign.estDeliveryDate,
    campaign_url: urls.campaign(campaign.id),
  };
}
