import { z } from 'zod';
import {
  PHONE_TYPES,
  type Contacts,
  type DncStatus,
  type PhoneDetail,
  type RefusedContact,
} from '../orders/contacts.ts';
import { parsePhone } from './phone-number.ts';
import type { VendorResult } from './vendor-result.ts';

const emailAddress = z.email().max(254);

/** Why an element of an answer is left out. */
interface Refusal {
  refused: RefusedContact['reason'];
}

/** What vendors call the kinds of lines. */
const TYPES: ReadonlyMap<string, PhoneDetail['type']> = new Map([
  ...PHONE_TYPES.map((type) => [type, type] as const),
  ['cell', 'mobile'],
  ['cellular', 'mobile'],
  ['wireless', 'mobile'],
  ['fixed', 'landline'],
  ['fixed line', 'landline'],
  ['residential', 'landline'],
]);

/** The most numbers, and the most addresses, that are kept of one answer. */
const MOST = 50;

/** The longest texts that are read as a number and as an address. */
const LONGEST = { phone: 100, email: 400 } as const;

/** The numbers that may be called come first. */
const CALLABLE_FIRST: readonly DncStatus[] = ['clear', 'unknown', 'listed'];

/** Of two words on the same number the more careful one counts. */
const CAREFUL: readonly DncStatus[] = ['listed', 'unknown', 'clear'];

/**
 * Makes contacts of a vendor's answer: numbers in E.164, addresses in small letters, each once. What
 * cannot be read is left out with its place and the reason; what is good goes through. Without a
 * do-not-call scrub no number's status is known. Cleared numbers come first, then those of which
 * nothing is known, then listed ones, so that the primary one may be called if any may; among equals
 * the vendor's order stays (spec §§2.3, 2.4).
 */
export function readContacts(result: VendorResult): {
  contacts: Contacts;
  refused: RefusedContact[];
} {
  const { traced_at, dnc_screened, litigator } = result;
  const phones = readPhones(result);
  const emails = readEmails(result.emails);
  return {
    contacts: {
      ...{ phone_details: phones.good, emails: emails.good },
      ...{ dnc_screened, litigator, traced_at },
    },
    refused: [...phones.refused, ...emails.refused],
  };
}

function readPhones({ phones, dnc_screened: screened }: VendorResult) {
  const good = new Map<string, PhoneDetail>();
  const refused: RefusedContact[] = [];
  for (const [index, phone] of phones.entries()) {
    const parsed = readText('phone', index, phone.number, parsePhone);
    if ('refused' in parsed) {
      refused.push({ kind: 'phone', index, reason: parsed.refused });
      continue;
    }
    const { number } = parsed;
    const before = good.get(number);
    const status = carefulOf(before?.dnc_status, screened ? phone.dnc : 'unknown');
    const type = TYPES.get(phone.type?.toLowerCase() ?? '') ?? 'unknown';
    good.set(number, {
      number,
      type: before && before.type !== 'unknown' ? before.type : type,
      ...{ dnc: status === 'listed', dnc_status: status },
      carrier: before?.carrier ?? (phone.carrier || null),
    });
  }
  const place = ({ dnc_status: status }: PhoneDetail) => CALLABLE_FIRST.indexOf(status);
  return { good: [...good.values()].sort((one, other) => place(one) - place(other)), refused };
}

/** Reads one element of an answer, unless it is too much of it, or none that can be read. */
function readText<T extends object>(
  kind: RefusedContact['kind'],
  index: number,
  text: unknown,
  parse: (text: string) => T | Refusal,
): T | Refusal {
  if (index >= MOST) return { refused: 'too_many' };
  if (typeof text !== 'string') return { refused: 'not_text' };
  return text.length > LONGEST[kind] ? { refused: 'too_long' } : parse(text);
}

function carefulOf(one: DncStatus | undefined, other: DncStatus): DncStatus {
  return CAREFUL.find((status) => status === one || status === other) ?? 'unknown';
}

function readEmails(texts: readonly unknown[]) {
  const good = new Set<string>();
  const refused: RefusedContact[] = [];
  for (const [index, text] of texts.entries()) {
    const parsed = readText('email', index, text, parseEmail);
    if ('refused' in parsed) refused.push({ kind: 'email', index, reason: parsed.refused });
    else good.add(parsed.email);
  }
  return { good: [...good], refused };
}

function parseEmail(text: string): { email: string } | Refusal {
  const parsed = emailAddress.safeParse(text.trim().toLowerCase());
  return parsed.success ? { email: parsed.data } : { refused: 'not_an_address' };
}
