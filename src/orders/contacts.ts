/** One number that a skip trace found (spec §2.4). */
export interface PhoneDetail {
  /** E.164. */
  number: string;
  type: 'mobile' | 'landline' | 'voip' | 'unknown';
  dnc: boolean;
  dnc_status: 'clear' | 'listed' | 'unknown';
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
