import type { DealStatus } from '../domain/deal-status.ts';
import type { EventData } from '../events/catalogue.ts';
import { parcelData } from '../parcels/parcel-data.ts';
import type { AppUrls } from '../urls.ts';
import {
  dealMoney,
  dealPlan,
  dealStanding,
  type ClosedDeal,
  type Deal,
  type Parcel,
} from './deal-data.ts';

/** The subject that a deal's events are ordered by. */
export function dealSubject(dealId: string): string {
  return `deal:${dealId}`;
}

/** The full current state of a deal, as deal.status_changed carries it (spec §2.3). */
export function dealEventData(
  deal: Deal,
  parcel: Parcel,
  fromStatus: DealStatus | null,
  urls: AppUrls,
): EventData<'deal.status_changed'> {
  return {
    deal_id: deal.id,
    ...parcelData(parcel),
    from_status: fromStatus,
    to_status: deal.status,
    ...dealStanding(deal),
    ...dealPlan(deal),
    title_company: deal.titleCompany,
    source: deal.source,
    money: dealMoney(deal),
    stage_entered_at: deal.stageEnteredAt,
    deal_url: urls.deal(deal.id),
  };
}

/** The same, with what a closed deal adds (spec §2.6). */
export function closedDealEventData(
  deal: ClosedDeal,
  base: EventData<'deal.status_changed'>,
): EventData<'deal.closed'> {
  return {
    ...base,
    closed_at: deal.closedAt,
    actual_fee_cents: deal.actualFeeCents,
    actual_sale_price_cents: deal.actualSalePriceCents,
    actual_profit_cents: deal.actualProfitCents,
    contract_price_cents: deal.contractPriceCents,
  };
}
