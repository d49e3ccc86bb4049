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

/**
 * A vendor's answer, as raw as it comes: numbers and addresses in whatever form. Fields that are not
 * named here are passed over, because vendors add them as they like.
 */
const vendorResult = z.object({
  /** When it was found out. */
  traced_at: utcInstant,
  /** Whether the numbers were compared with the do-not-call list. */
  dnc_screened: z.boolean(),
  /** Whether the owner is known to sue those who call. */
  litigator: z.boolean().default(false),
  phones: z
    .array(
      z.object({
        number: z.string().max(100),
        type: label.nullish(),
        carrier: label.nullish(),
        dnc: z.enum(DNC_STATUSES).default('unknown'),
      }),
    )
    .max(50),
  emails: z.array(z.string().max(400)).max(50),
});

export type VendorResult = z.output<typeof vendorResult>;

/** Checks a vendor's answer; a fault is a `bad_request` that names the field and repeats no value. */
export function parseVendorResult(raw: unknown): VendorResult {
  return parseInput(vendorResult, raw);
}
