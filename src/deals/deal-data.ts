import type { InferSelectModel } from 'drizzle-orm';
import type { deals, parcels } from '../../drizzle/schema.ts';
import type { EventData } from '../events/catalogue.ts';

/*
 * What events and the Read API both say of a deal, in the groups in which src/events/shapes/deal.ts
 * has the fields.
 */

export type Deal = InferSelectModel<typeof deals>;
export type Parcel = InferSelectModel<typeof parcels>;

/** A deal that is at CLOSED. */
export type ClosedDeal = Deal & { closedAt: string };

export function isClosed(deal: Deal): deal is ClosedDeal {
  return deal.closedAt !== null;
}

/** Whether it is known what a closed deal came to: one figure is enough (spec §3.1). */
export function hasActuals(deal: Deal): deal is ClosedDeal {
  const figures = [deal.actualFeeCents, deal.actualSalePriceCents, deal.actualProfitCents];
  return isClosed(deal) && figures.some((figure) => figure !== null);
}

/** How a deal stands, besides its stage. */
export function dealStanding(deal: Deal) {
  return {
    sub_state: deal.subState,
    exit_strategy: deal.exitStrategy,
    dead_reason: deal.deadReason,
  };
}

/** What is to be done about a deal, its dates, and who buys. */
export function dealPlan(deal: Deal) {
  return {
    next_action: deal.nextAction,
    next_action_due: deal.nextActionDue,
    offer_date: deal.offerDate,
    effective_date: deal.effectiveDate,
    option_end_date: deal.optionEndDate,
    closing_date: deal.closingDate,
    buyer_name: deal.buyerName,
  };
}

/** The known amounts: the estimated fee while the deal is open, the actual one once it is closed. */
export function dealMoney(deal: Deal): EventData<'deal.status_changed'>['money'] {
  const fee =
    deal.status === 'CLOSED' ? { actual_fee: deal.actualFeeCents } : { est_fee: deal.estFeeCents };
  const money = { contract_price: deal.contractPriceCents, earnest: deal.earnestCents, ...fee };
  return Object.fromEntries(Object.entries(money).filter(([, amount]) => amount !== null));
}
