import {
  ParseError,
  parsePhoneNumberWithError,
  validatePhoneNumberLength,
} from 'libphonenumber-js';
import { e164 } from '../events/shapes/phone.ts';
import type { RefusedContact } from '../orders/contacts.ts';

/** A number in E.164, or why it is none. */
export type ParsedPhone = { number: string } | { refused: RefusedContact['reason'] };

/** The library's words for what is wrong with a number. */
type Fault = NonNullable<ReturnType<typeof validatePhoneNumberLength>>;

const REASONS: Readonly<Record<Fault, RefusedContact['reason']>> = {
  NOT_A_NUMBER: 'not_a_number',
  INVALID_COUNTRY: 'invalid_country',
  TOO_SHORT: 'too_short',
  TOO_LONG: 'too_long',
  INVALID_LENGTH: 'invalid_length',
};

/** Where a number is from that has no country code; the whole text is the number, not a sentence. */
const READING = { defaultCountry: 'US', extract: false } as const;

/**
 * Reads a number as people and vendors write it, also as a `tel:` link; without a country code it is
 * one of the United States. An extension is left out, because E.164 has no room for one (spec §2.4).
 * A link that says elsewhere where the number belongs (`;phone-context=`) is refused.
 */
export function parsePhone(text: string): ParsedPhone {
  const number = text.trim().replace(/^tel:/i, '');
  if (/;\s*phone-context\s*=/i.test(number)) return { refused: 'not_a_number' };
  try {
    const parsed = parsePhoneNumberWithError(number, READING);
    // Some countries have valid numbers that are too short for the fields they would be shown in.
    if (parsed.isValid() && e164.safeParse(parsed.number).success) return { number: parsed.number };
    const fault = validatePhoneNumberLength(number, READING);
    return { refused: fault ? REASONS[fault] : 'invalid_number' };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { refused: reasonOf(error.message) };
  }
}

function reasonOf(message: string): RefusedContact['reason'] {
  return Object.hasOwn(REASONS, message) ? REASONS[message as Fault] : 'not_a_number';
}
