import { and, count, desc, eq, gte } from 'drizzle-orm';
import type { z } from 'zod';
import { orders, parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { inSnapshot } from '../db/in-snapshot.ts';
import type { OrderService, OrderStatus } from '../domain/order-status.ts';
import { CONTACTS_PLAN, planIncludes, type Plan } from '../domain/plan.ts';
import type { orderObject } from '../events/shapes/order.ts';
import type { AppUrls } from '../urls.ts';
import { contactFields } from './contact-fields.ts';

/** An order as the Read API shows it (spec §2.7). */
export type OrderData = z.input<typeof orderObject>;

/**
 * A page of an account's orders, newest first (spec §4.5); of one batch or campaign only for the command
 * line.
 */
export async function readOrders(
  { db, urls }: { db: Db; urls: AppUrls },
  caller: { accountId: string; plan: Plan },
  query: {
    service?: OrderService | undefined;
    status?: OrderStatus | undefined;
    since?: string | undefined;
    batchId?: string | undefined;
    campaignId?: string | undefined;
    limit: number;
    offset: number;
  },
) {
  const { service, status, since, batchId, campaignId, limit, offset } = query;
  const wanted = and(
    eq(orders.accountId, caller.accountId),
    service && eq(orders.service, service),
    status && eq(orders.status, status),
    since === undefined ? undefined : gte(orders.createdAt, since),
    batchId === undefined ? undefined : eq(orders.batchId, batchId),
    campaignId === undefined ? undefined : eq(orders.campaignId, campaignId),
  );
  // One snapshot, so that the total is that of the page's moment.
  return inSnapshot(db, async (tx) => {
    const rows = await tx
      .select({ order: orders, parcel: parcels })
      .from(orders)
      .innerJoin(parcels, eq(parcels.id, orders.parcelId))
      .where(wanted)
      .orderBy(desc(orders.createdAt), desc(orders.id))
      .limit(limit)
      .offset(offset);
    const [all] = await tx.select({ total: count() }).from(orders).where(wanted);
    const entitled = planIncludes(caller.plan, CONTACTS_PLAN);
    return {
      orders: rows.map(({ order, parcel }) => orderData(order, parcel, entitled, urls)),
      ...{ total: all?.total ?? 0, limit, offset },
    };
  });
}

/** An order in the words of the Read API; without contacts for a plan that carries none. */
export function orderData(
  order: typeof orders.$inferSelect,
  parcel: typeof parcels.$inferSelect,
  entitled: boolean,
  urls: AppUrls,
): OrderData {
  return {
    order_id: order.id,
    batch_id: order.batchId,
    list_id: order.listId,
    service: order.service,
    status: order.status,
    price_cents: order.priceCents,
    parcel_id: parcel.id,
    county: parcel.county,
    account_num: parcel.accountNum,
    address: parcel.address,
    owner_name: parcel.ownerName,
    created_at: order.createdAt,
    fulfilled_at: order.fulfilledAt,
    contacts: entitled ? shownContacts(order) : null,
    postcard: order.postcardState && {
      state: order.postcardState,
      vendor_status: order.vendorStatus ?? '',
      mailed_at: order.mailedAt,
    },
    lead_url: urls.lead(parcel.county, parcel.accountNum),
  };
}

/** A fulfilled skip trace's contacts: less of them than a lead shows (spec §2.7). */
function shownContacts({ service, status, contacts }: typeof orders.$inferSelect) {
  if (service !== 'SKIP_TRACE' || status !== 'FULFILLED' || !contacts) return null;
  const fields = contactFields(contacts);
  const { phones, emails, phone_primary, email_primary, callable_phones } = fields;
  const { dnc_screened, traced_at } = fields;
  return {
    ...{ phones, emails, phone_primary, email_primary },
    ...{ callable_phones, dnc_screened, traced_at },
  };
}
