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

/** What vendors call the kinds of lines. */
const TYPES: Readonly<Record<string, PhoneDetail['type']>> = {
  ...Object.fromEntries(PHONE_TYPES.map((type) => [type, type])),
  cell: 'mobile',
  cellular: 'mobile',
  wireless: 'mobile',
  fixed: 'landline',
  'fixed line': 'landline',
  residential: 'landline',
};

/** Of two words on the same number the more careful one counts. */
const CAREFUL: readonly DncStatus[] = ['listed', 'unknown', 'clear'];

/**
 * Makes contacts of a vendor's answer: numbers in E.164, addresses in small letters, each once. What
 * cannot be read is left out with its place and the reason; what is good goes through. Without a
 * do-not-call scrub no number's status is known (spec §§2.3, 2.4).
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
    const parsed = parsePhone(phone.number);
    if ('refused' in parsed) {
      refused.push({ kind: 'phone', index, reason: parsed.refused });
      continue;
    }
    const { number } = parsed;
    const before = good.get(number);
    const status = carefulOf(before?.dnc_status, screened ? phone.dnc : 'unknown');
    const type = TYPES[phone.type?.toLowerCase() ?? ''] ?? 'unknown';
    good.set(number, {
      number,
      type: before && before.type !== 'unknown' ? before.type : type,
      ...{ dnc: status === 'listed', dnc_status: status },
      carrier: before?.carrier ?? (phone.carrier || null),
    });
  }
  return { good: [...good.values()], refused };
}

function carefulOf(one: DncStatus | undefined, other: DncStatus): DncStatus {
  return CAREFUL.find((status) => status === one || status === other) ?? 'unknown';
}

function readEmails(texts: readonly string[]) {
  const good = new Set<string>();
  const refused: RefusedContact[] = [];
  for (const [index, text] of texts.entries()) {
    const parsed = emailAddress.safeParse(text.trim().toLowerCase());
    if (parsed.success) good.add(parsed.data);
    else refused.push({ kind: 'email', index, reason: 'not_an_address' });
  }
  return { good: [...good], refused };
}
