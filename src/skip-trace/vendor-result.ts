import { z } from 'zod';
import { parseInput } from '../input.ts';
import { instant } from '../instant.ts';
import { DNC_STATUSES } from '../orders/contacts.ts';

/** In UTC, with as many digits as it was given when it was in UTC already. */
const utcInstant = instant
  // Nor a year that UTC would make one of five digits of.
  .refine((text) => /^(19|20|21)/.test(text), 'must be from 1900 to 2199')
  .transform((text) => (text.endsWith('Z') ? text : new Date(text).toISOString()));

/** A word or a name; what PostgreSQL cannot keep, or a line cannot show, is taken out. */
const label = z
  .string()
  .max(200)
  .transform((text) => text.replaceAll(/[\p{Cc}\p{Cs}]/gu, '').trim());

/** A label where there is one; anything else is none, and no reason to do without the number. */
const optionalLabel = label.nullish().catch(null);

/** What is no word of ours is not known, so that the number is not called on the strength of it. */
const dnc = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .pipe(z.enum(DNC_STATUSES))
  .catch('unknown');

const phone = z
  .object({ number: z.unknown(), type: optionalLabel, carrier: optionalLabel, dnc })
  .catch({ number: null, dnc: 'unknown' });

/** More elements than this are no answer about one owner. */
const MOST_ELEMENTS = 1_000;

/**
 * A vendor's answer, as raw as it comes: numbers and addresses in whatever form, each judged by itself
 * later, so that an odd one does not cost the others. Fields that are not named here are passed over,
 * because vendors add them as they like.
 */
const vendorResult = z.object({
  /** When it was found out. */
  traced_at: utcInstant,
  /** Whether the numbers were compared with the do-not-call list. */
  dnc_screened: z.boolean(),
  /** Whether the owner is known to sue those who call. */
  litigator: z
    .boolean()
    .nullish()
    .transform((known) => known ?? false),
  phones: z.array(phone).max(MOST_ELEMENTS),
  emails: z
    .array(z.unknown())
    .max(MOST_ELEMENTS)
    .nullish()
    .transform((texts) => texts ?? []),
});

export type VendorResult = z.output<typeof vendorResult>;

/**
 * Checks the frame of a vendor's answer; a fault is a `bad_request` that names the field and repeats
 * no value.
 */
export function parseVendorResult(raw: unknown): VendorResult {
  return parseInput(vendorResult, raw);
}
