import type { InferSelectModel } from 'drizzle-orm';
import type { deals, parcels } from '../../drizzle/schema.ts';
import type { DealStatus } from '../domain/deal-status.ts';
import type { EventData } from '../events/catalogue.ts';
import type { AppUrls } from '../urls.ts';

export type Deal = InferSelectModel<typeof deals>;
export type Parcel = InferSelectModel<typeof parcels>;

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
    parcel_id: parcel.id,
    county: parcel.county,
    account_num: parcel.accountNum,
    address: parcel.address,
    city: parcel.city,
    zip: parcel.zip,
    from_status: fromStatus,
    to_status: deal.status,
    sub_state: deal.subState,
    exit_strategy: deal.exitStrategy,
    dead_reason: deal.deadReason,
    next_action: deal.nextAction,
    next_action_due: deal.nextActionDue,
    offer_date: deal.offerDate,
    effective_date: deal.effectiveDate,
    option_end_date: deal.optionEndDate,
    closing_date: deal.closingDate,
    buyer_name: deal.buyerName,
    title_company: deal.titleCompany,
    source: deal.source,
    money: dealMoney(deal),
    stage_entered_at: deal.stageEnteredAt,
    deal_url: urls.deal(deal.id),
  };
}

/** The same, with what a closed deal adds (spec §2.6). */
export function closedDealEventData(
  deal: Deal & { closedAt: string },
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

/** The known amounts: the estimated fee while the deal is open, the actual one once it is closed. */
export function dealMoney(deal: Deal): EventData<'deal.status_changed'>['money'] {
  const fee =
    deal.status === 'CLOSED' ? { actual_fee: deal.actualFeeCents } : { est_fee: deal.estFeeCents };
  const money = { contract_price: deal.contractPriceCents, earnest: deal.earnestCents, ...fee };
  return Object.fromEntries(Object.entries(money).filter(([, amount]) => amount !== null));
}
