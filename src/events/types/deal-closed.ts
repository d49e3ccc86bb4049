import { defineEvent } from '../define-event.ts';
import { closedDealFields, dealEventFields, sampleDeal } from '../shapes/deal.ts';

/** A deal closed, with what it came to (spec §2.6, §6.1). */
export const dealClosed = defineEvent({
  type: 'deal.closed',
  description:
    'A deal reached CLOSED with its actual figures: sent beside deal.status_changed, not instead of it. When the figures are only known later it is sent then, by itself, with the stages of the move.',
  fields: { ...dealEventFields, ...closedDealFields },
  sample: {
    ...sampleDeal,
    from_status: 'UNDER_CONTRACT',
    to_status: 'CLOSED',
    sub_state: null,
    next_action: null,
    next_action_due: null,
    buyer_name: 'Gulf Coast Homes LLC',
    money: { contract_price: 14_250_000, earnest: 150_000, actual_fee: 1_350_000 },
    stage_entered_at: '2026-02-06T19:05:00.000000Z',
    closed_at: '2026-02-06T19:05:00.000000Z',
    actual_fee_cents: 1_350_000,
    actual_sale_price_cents: 15_600_000,
    actual_profit_cents: 1_180_000,
    contract_price_cents: 14_250_000,
  },
});
