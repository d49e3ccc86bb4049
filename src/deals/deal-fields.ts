import { z } from 'zod';
import { parseInput } from '../input.ts';

const text = (most: number) => z.string().trim().min(1).max(most);
const day = z.iso
  .date({ error: 'must be a date, YYYY-MM-DD' })
  .refine((text) => /^(19|20|21)/.test(text), 'must be a date from 1900 to 2199');
/** A number, or its digits as the command line gives them. */
const anyCents = z.preprocess(
  (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
  z.int({ error: 'must be a whole number of cents' }).min(-1e14).max(1e14),
);
const cents = anyCents.refine((value) => value >= 0, 'must not be negative');

/** What may be set on a deal whenever it is touched; null clears a field. */
const dealChanges = z.strictObject({
  sub_state: text(60).nullable().optional(),
  exit_strategy: text(60).optional(),
  dead_reason: text(200).nullable().optional(),
  note: text(4_000).nullable().optional(),
  next_action: text(200).nullable().optional(),
  next_action_due: day.nullable().optional(),
  offer_date: day.nullable().optional(),
  effective_date: day.nullable().optional(),
  option_end_date: day.nullable().optional(),
  closing_date: day.nullable().optional(),
  buyer_name: text(200).nullable().optional(),
  buyer_phone: text(40).nullable().optional(),
  buyer_email: text(254).nullable().optional(),
  title_company: text(200).nullable().optional(),
  contract_price_cents: cents.nullable().optional(),
  earnest_cents: cents.nullable().optional(),
  est_fee_cents: cents.nullable().optional(),
});
export type DealChanges = z.output<typeof dealChanges>;

/** What a deal came to, given when it closes; a profit may be a loss. */
const dealActuals = z.strictObject({
  actual_fee_cents: cents.nullable().optional(),
  actual_sale_price_cents: cents.nullable().optional(),
  actual_profit_cents: anyCents.nullable().optional(),
});
export type DealActuals = z.output<typeof dealActuals>;

/** Checks changes that come from outside; a fault is a `bad_request` that names the field. */
export function parseDealChanges(input: unknown): DealChanges {
  return parseInput(dealChanges, input);
}

/** Checks actuals that come from outside; a fault is a `bad_request` that names the field. */
export function parseDealActuals(input: unknown): DealActuals {
  return parseInput(dealActuals, input);
}

/** The names of the fields, for those who offer them (the command line). */
export const DEAL_CHANGE_FIELDS = Object.keys(dealChanges.shape) as (keyof DealChanges)[];
export const DEAL_ACTUAL_FIELDS = Object.keys(dealActuals.shape) as (keyof DealActuals)[];
