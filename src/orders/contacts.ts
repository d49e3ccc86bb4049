/** The kinds of lines; spec §2.4 shows the first two. */
export const PHONE_TYPES = ['mobile', 'landline', 'voip', 'unknown'] as const;

/** What the do-not-call list says of a number (spec §2.4); unknown when it was not asked. */
export const DNC_STATUSES = ['clear', 'listed', 'unknown'] as const;
export type DncStatus = (typeof DNC_STATUSES)[number];

/** One number that a skip trace found (spec §2.4). */
export interface PhoneDetail {
  /** E.164. */
  number: string;
  type: (typeof PHONE_TYPES)[number];
  /** True exactly when it is listed. */
  dnc: boolean;
  dnc_status: DncStatus;
  carrier: string | null;
}

/** What a skip trace found, as it is kept with its order. */
export interface Contacts {
  phone_details: PhoneDetail[];
  emails: string[];
  dnc_screened: boolean;
  litigator: boolean;
  /** ISO 8601. */
  traced_at: string;
}

/** Why something that a skip trace found is no number or address that can be used. */
export const REFUSALS = [
  'not_a_number',
  'too_short',
  'too_long',
  'invalid_country',
  'invalid_length',
  'invalid_number',
  'not_an_address',
  'not_text',
  'too_many',
] as const;

/** One of these: its place in the vendor's answer (from 0), and the reason; never what it said. */
export interface RefusedContact {
  kind: 'phone' | 'email';
  index: number;
  reason: (typeof REFUSALS)[number];
}
