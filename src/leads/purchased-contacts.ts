import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client.ts';
import { CONTACTS_PLAN, planIncludes } from '../domain/plan.ts';
import { contactFields, type ContactFields } from '../orders/contact-fields.ts';
import type { Contacts } from '../orders/contacts.ts';
import type { Caller } from './list-leads.ts';

/** The contacts of a lead row (spec §2.8). */
export type LeadContacts = { order_id: string } & ContactFields;

const bought = z.array(
  z.object({ parcelId: z.string(), orderId: z.string(), contacts: z.custom<Contacts>() }),
);

/**
 * What the account's newest fulfilled skip trace of each parcel found, by parcel; nothing when the
 * plan does not carry contacts.
 */
export async function purchasedContacts(
  db: Db,
  { accountId, plan }: Caller,
  parcelIds: string[],
): Promise<Map<string, LeadContacts>> {
  if (!planIncludes(plan, CONTACTS_PLAN)) return new Map();
  const rows = await db.execute(sql`
    select distinct on (parcel_id) parcel_id as "parcelId", id as "orderId", contacts
    from orders
    where account_id = ${accountId} and parcel_id = any (${sql.param(parcelIds)}::text[])
      and contacts is not null and service = 'SKIP_TRACE' and status = 'FULFILLED'
    order by parcel_id, fulfilled_at desc, id desc`);
  return new Map(
    bought
      .parse(rows)
      .map(({ parcelId, orderId, contacts }) => [
        parcelId,
        { order_id: orderId, ...contactFields(contacts) },
      ]),
  );
}
