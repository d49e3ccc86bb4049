import { z } from 'zod';
import { DEAL_DEAD_REASONS } from '../domain/deal-dead-reason.ts';
import { DEAL_EXIT_STRATEGIES } from '../domain/deal-exit-strategy.ts';
import { DEAL_CREATED_VIA, DEAL_SOURCES } from '../domain/deal-origin.ts';
import { DEAL_STATUSES, type DealStatus } from '../domain/deal-status.ts';
import { badRequest } from '../errors.ts';
import { parseInput, shown } from '../input.ts';

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
const word = <Word extends string>(words: Readonly<Record<Word, string>>) => {
  const all = Object.keys(words) as Word[];
  return z.enum(all, {
    error: ({ input }) => `must be one of ${all.join(', ')}, not ${shown(input)}`,
  });
};

/** What may be set on a deal whenever it is touched; null clears a field. */
const dealChanges = z.strictObject({
  // Which ones there are depends on the stage: settle-changes.ts looks at it.
  sub_state: text(60).nullable().optional(),
  exit_strategy: word(DEAL_EXIT_STRATEGIES).optional(),
  dead_reason: word(DEAL_DEAD_REASONS).nullable().optional(),
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

/** What is said once, when a deal is created: where it comes from. */
const dealOrigin = z.strictObject({
  source: word(DEAL_SOURCES).optional(),
  created_via: word(DEAL_CREATED_VIA).optional(),
});
const newDeal = dealChanges.extend(dealOrigin.shape);
export type NewDeal = z.output<typeof newDeal>;

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

/** Checks the fields of a new deal; a fault is a `bad_request` that names the field. */
export function parseNewDeal(input: unknown): NewDeal {
  return parseInput(newDeal, input);
}

/** Checks actuals that come from outside; a fault is a `bad_request` that names the field. */
export function parseDealActuals(input: unknown): DealActuals {
  return parseInput(dealActuals, input);
}

/** Reads the name of a stage, in any case; another word is a `bad_request`. */
export function parseDealStatus(text: string): DealStatus {
  const status = DEAL_STATUSES.find((known) => known === text.toUpperCase());
  if (status) return status;
  const rule = `must be one of ${DEAL_STATUSES.join(', ')}, not ${shown(text)}`;
  throw badRequest('status', `status: ${rule}.`);
}

/** The names of the fields, for those who offer them (the command line). */
export const DEAL_CHANGE_FIELDS = Object.keys(dealChanges.shape) as (keyof DealChanges)[];
export const DEAL_ORIGIN_FIELDS = Object.keys(dealOrigin.shape) as (keyof NewDeal)[];
export const DEAL_ACTUAL_FIELDS = Object.keys(dealActuals.shape) as (keyof DealActuals)[];
