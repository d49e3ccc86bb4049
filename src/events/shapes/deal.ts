import { z } from 'zod';
import { DEAL_DEAD_REASONS } from '../../domain/deal-dead-reason.ts';
import { DEAL_EXIT_STRATEGIES } from '../../domain/deal-exit-strategy.ts';
import { DEAL_CREATED_VIA, DEAL_SOURCES } from '../../domain/deal-origin.ts';
import { DEAL_STATUSES } from '../../domain/deal-status.ts';
import { calendarDate, cents, parcelFields, timestamp } from './common.ts';
import { knownSubState, knownWord } from './known-values.ts';

export const dealStatus = z.enum(DEAL_STATUSES);

/** Amounts in whole cents; a key is present when its amount is known (spec §2.3). */
export const dealMoney = z.strictObject({
  contract_price: cents.optional(),
  earnest: cents.optional(),
  est_fee: cents.optional(),
  actual_fee: cents.optional(),
});

/** How a deal stands, besides its stage: in events and in the Read API alike. */
const standingFields = {
  sub_state: knownSubState(),
  exit_strategy: knownWord(DEAL_EXIT_STRATEGIES, 'What is to become of the property'),
  dead_reason: knownWord(DEAL_DEAD_REASONS, 'Why it came to nothing, at DEAD').nullable(),
};

/** What is to be done about it, its dates, and who buys. */
const planFields = {
  next_action: z.string().nullable(),
  next_action_due: calendarDate.nullable(),
  offer_date: calendarDate.nullable(),
  effective_date: calendarDate.nullable(),
  option_end_date: calendarDate.nullable(),
  closing_date: calendarDate.nullable(),
  buyer_name: z.string().nullable(),
};

/** The full current state of a deal, as both deal events carry it (spec §2.3). */
export const dealEventFields = {
  deal_id: z.string(),
  ...parcelFields,
  from_status: dealStatus.nullable(),
  to_status: dealStatus,
  ...standingFields,
  ...planFields,
  title_company: z.string().nullable(),
  source: knownWord(DEAL_SOURCES, 'Where the property was found'),
  money: dealMoney,
  stage_entered_at: timestamp,
  deal_url: z.url(),
};

/** A deal as the Read API shows it (spec §2.5): the same names and types as in events. */
export const dealObject = z.strictObject({
  deal_id: z.string(),
  ...parcelFields,
  status: dealStatus,
  ...standingFields,
  note: z.string().nullable(),
  ...planFields,
  buyer_phone: z.string().nullable(),
  buyer_email: z.string().nullable(),
  title_company: z.string().nullable(),
  created_via: knownWord(DEAL_CREATED_VIA, 'How the deal was entered'),
  money: dealMoney,
  stage_entered_at: timestamp,
  last_activity_at: timestamp,
  created_at: timestamp,
  updated_at: timestamp,
  deal_url: z.url(),
});

/** What a closed deal adds: when, and what it came to (spec §2.6). */
export const closedDealFields = {
  closed_at: timestamp,
  actual_fee_cents: cents.nullable(),
  actual_sale_price_cents: cents.nullable(),
  actual_profit_cents: cents.nullable(),
  contract_price_cents: cents.nullable(),
};

/** The deal that the samples speak of, under contract. */
export const sampleDeal = {
  deal_id: 'deal_sample',
  parcel_id: 'harris:0660640130020',
  county: 'harris',
  account_num: '0660640130020',
  address: '1204 Alder Creek Ln, Houston, TX 77018',
  city: 'Houston',
  zip: '77018',
  from_status: 'OFFER_SENT' as const,
  to_status: 'UNDER_CONTRACT' as const,
  sub_state: 'option_period',
  exit_strategy: 'assigned',
  dead_reason: null,
  next_action: 'Order the title search',
  next_action_due: '2026-01-12',
  offer_date: '2026-01-05',
  effective_date: '2026-01-09',
  option_end_date: '2026-01-16',
  closing_date: '2026-02-06',
  buyer_name: null,
  title_company: 'Bayou City Title',
  source: 'pipeline',
  money: { contract_price: 14_250_000, earnest: 150_000, est_fee: 1_200_000 },
  stage_entered_at: '2026-01-09T16:20:00.000000Z',
  deal_url: 'https://app.example.com/deals/deal_sample',
};
