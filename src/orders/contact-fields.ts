import type { Contacts, PhoneDetail } from './contacts.ts';

/** What both a lead row and an order show of purchased contacts (spec §§2.7, 2.8). */
export interface ContactFields {
  phones: string[];
  emails: string[];
  phone_primary: string | null;
  phone_secondary: string | null;
  email_primary: string | null;
  callable_phones: number;
  dnc_screened: boolean;
  traced_at: string;
}

/** Makes the fields out of what is kept. */
export function contactFields(contacts: Contacts): ContactFields {
  const phones = contacts.phone_details.map(({ number }) => number);
  const { emails, dnc_screened, traced_at } = contacts;
  return {
    ...{ phones, emails, dnc_screened, traced_at },
    phone_primary: phones[0] ?? null,
    phone_secondary: phones[1] ?? null,
    email_primary: emails[0] ?? null,
    callable_phones: callablePhones(contacts),
  };
}

/** What an event tells besides: each number, and whether the owner is a known litigator (spec §2.3). */
export interface EventContactFields extends ContactFields {
  phone_details: PhoneDetail[];
  litigator: boolean;
}

/** The same fields for an event; no number and no address when the plan carries none (spec §6.2). */
export function eventContactFields(contacts: Contacts, entitled: boolean): EventContactFields {
  const shown = entitled ? contacts : { ...contacts, phone_details: [], emails: [] };
  const { phone_details, litigator } = shown;
  return { ...contactFields(shown), phone_details, litigator };
}

/** How many numbers may be called: those that were cleared, and none of a known litigator (spec §2.3). */
export function callablePhones({ phone_details, litigator }: Contacts): number {
  if (litigator) return 0;
  return phone_details.filter(({ dnc_status: status }) => status === 'clear').length;
}
