import { and, eq } from 'drizzle-orm';
import { orders, parcels } from '../../drizzle/schema.ts';
import { requireAccount } from '../accounts/accounts.ts';
import type { Db } from '../db/client.ts';
import { CONTACTS_PLAN, planIncludes } from '../domain/plan.ts';
import { notFound } from '../errors.ts';
import type { AppUrls } from '../urls.ts';
import type { PhoneDetail, RefusedContact } from './contacts.ts';
import { orderData, type OrderData } from './read-orders.ts';

/** An order as its account sees it in the Read API, and what is kept beside that. */
export interface ShownOrder extends OrderData {
  list_name: string;
  campaign_id: string | null;
  paid_at: string | null;
  /** What the vendor says of it, or what was wrong with its last answer; null when there is nothing. */
  vendor_status: string | null;
  /** What is known of each number; none without contacts. */
  phone_details: PhoneDetail[];
  /** Whether the owner is a known litigator; null without contacts. */
  litigator: boolean | null;
  /** What a skip trace found that could not be used: its place in the vendor's answer, and why. */
  refused: RefusedContact[];
}

/** One order of the account, or `not_found`; contacts as its plan carries them (spec §6.2). */
export async function showOrder(
  { db, urls }: { db: Db; urls: AppUrls },
  { accountId, orderId }: { accountId: string; orderId: string },
): Promise<ShownOrder> {
  const { plan } = await requireAccount(db, accountId);
  const [row] = await db
    .select({ order: orders, parcel: parcels })
    .from(orders)
    .innerJoin(parcels, eq(parcels.id, orders.parcelId))
    .where(and(eq(orders.accountId, accountId), eq(orders.id, orderId)));
  if (!row) throw notFound('order');
  const { order, parcel } = row;
  const data = orderData(order, parcel, planIncludes(plan, CONTACTS_PLAN), urls);
  const contacts = data.contacts === null ? null : order.contacts;
  return {
    ...data,
    ...{ list_name: order.listName, campaign_id: order.campaignId },
    ...{ paid_at: order.paidAt, vendor_status: order.vendorStatus },
    phone_details: contacts?.phone_details ?? [],
    ...{ litigator: contacts?.litigator ?? null, refused: order.refusedContacts },
  };
}
