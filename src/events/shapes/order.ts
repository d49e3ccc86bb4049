import { z } from 'zod';
import { ORDER_SERVICES, ORDER_STATUSES } from '../../domain/order-status.ts';
import { POSTCARD_STATES } from '../../domain/postcard-state.ts';
import { cents, parcelFields, timestamp } from './common.ts';
import { e164 } from './phone.ts';

const { parcel_id, county, account_num, address } = parcelFields;

/** What an order shows of the contacts that were bought with it (spec §2.7). */
export const orderContacts = z.strictObject({
  phones: z.array(e164),
  emails: z.array(z.string()),
  phone_primary: e164.nullable(),
  email_primary: z.string().nullable(),
  callable_phones: z.int().min(0),
  dnc_screened: z.boolean(),
  traced_at: timestamp,
});

/** What a lead row shows of the contacts that the account has bought (spec §2.8). */
export const leadContacts = z.strictObject({
  order_id: z.string(),
  ...orderContacts.shape,
  phone_secondary: e164.nullable(),
});

/** An order as the Read API shows it (spec §2.7). */
export const orderObject = z.strictObject({
  order_id: z.string(),
  batch_id: z.string(),
  list_id: z.string(),
  service: z.enum(ORDER_SERVICES),
  status: z.enum(ORDER_STATUSES),
  price_cents: cents,
  ...{ parcel_id, county, account_num, address },
  owner_name: z.string(),
  created_at: timestamp,
  fulfilled_at: timestamp.nullable(),
  contacts: orderContacts.nullable(),
  postcard: z
    .strictObject({
      state: z.enum(POSTCARD_STATES),
      vendor_status: z.string(),
      mailed_at: timestamp.nullable(),
    })
    .nullable(),
  lead_url: z.url(),
});
