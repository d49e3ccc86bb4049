import { ParseError, parsePhoneNumberWithError } from 'libphonenumber-js';
import { e164 } from '../events/shapes/phone.ts';
import type { RefusedContact } from '../orders/contacts.ts';

/** A number in E.164, or why it is none. */
export type ParsedPhone = { number: string } | { refused: RefusedContact['reason'] };

const REASONS: Readonly<Record<string, RefusedContact['reason']>> = {
  NOT_A_NUMBER: 'not_a_number',
  INVALID_COUNTRY: 'invalid_country',
  TOO_SHORT: 'too_short',
  TOO_LONG: 'too_long',
};

/**
 * Reads a number as people and vendors write it; without a country code it is one of the United
 * States. An extension is left out, because E.164 has no room for one (spec §2.4).
 */
export function parsePhone(text: string): ParsedPhone {
  try {
    const parsed = parsePhoneNumberWithError(text.trim(), {
      defaultCountry: 'US',
      // The whole text is the number: no digging for one in a sentence.
      extract: false,
    });
    // Some countries have valid numbers that are too short for the fields they would be shown in.
    if (parsed.isValid() && e164.safeParse(parsed.number).success) return { number: parsed.number };
    const { nationalNumber } = parsed;
    if (parsed.isPossible()) return { refused: 'invalid_number' };
    return { refused: nationalNumber.length < 10 ? 'too_short' : 'too_long' };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { refused: REASONS[error.message] ?? 'not_a_number' };
  }
}
