import { and, eq, sql } from 'drizzle-orm';
import { accounts, orders, parcels } from '../../drizzle/schema.ts';
import type { Db, Tx } from '../db/client.ts';
import { CONTACTS_PLAN, planIncludes } from '../domain/plan.ts';
import { isOpenOrder } from '../domain/order-status.ts';
import { notFound } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import { holdLead } from '../leads/hold-lead.ts';
import { leadData, type LeadStyle } from '../leads/lead-data.ts';
import { eventContactFields } from '../orders/contact-fields.ts';
import type { Contacts } from '../orders/contacts.ts';
import { requireOrderMove } from '../orders/order-move.ts';
import type { Order } from '../orders/order.ts';
import type { ParcelRow } from '../parcels/evaluate-parcel.ts';
import { readContacts } from './read-contacts.ts';
import { parseVendorResult } from './vendor-result.ts';

export interface CompletionContext extends LeadStyle {
  db: Db;
}

export interface Completion {
  accountId: string;
  orderId: string;
  /** A vendor's answer as it came. */
  result: unknown;
}

/**
 * Records what a skip trace found: PAID → FULFILLED, the contacts, the lead as purchased, and exactly
 * one lead.skiptrace.completed, all in one transaction under the lock of the order's row (spec §6.1).
 *
 * An answer of the wrong shape is a `bad_request` and nothing is written; a number or address in it
 * that cannot be read is left out and the rest goes through. A `conflict` when the order is not PAID.
 */
export async function completeSkipTrace(
  context: CompletionContext,
  { accountId, orderId, result }: Completion,
): Promise<Order> {
  const read = readContacts(parseVendorResult(result));
  return context.db.transaction(async (tx) => {
    const { order } = await lockOrder(tx, { accountId, orderId });
    requireOrderMove(order.status, 'FULFILLED', `Order ${orderId}`);
    return fulfil(tx, context, order, read);
  });
}

/**
 * The same for the answer to a request of ours. When the order has been fulfilled meanwhile, by a twin
 * of this request or by hand, or cancelled, nothing happens. Answers whether it was fulfilled by this.
 */
export async function completeTraced(
  context: CompletionContext,
  { accountId, orderId, result }: Completion,
): Promise<boolean> {
  const read = readContacts(parseVendorResult(result));
  return context.db.transaction(async (tx) => {
    const { order } = await lockOrder(tx, { accountId, orderId });
    if (!isOpenOrder(order.status)) return false;
    requireOrderMove(order.status, 'FULFILLED', `Order ${orderId}`);
    await fulfil(tx, context, order, read);
    return true;
  });
}

async function lockOrder(tx: Tx, which: { accountId: string; orderId: string }) {
  const [order] = await tx
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.accountId, which.accountId),
        eq(orders.id, which.orderId),
        eq(orders.service, 'SKIP_TRACE'),
      ),
    )
    .for('update');
  if (!order) throw notFound('skip trace');
  return { order };
}

async function fulfil(
  tx: Tx,
  style: LeadStyle,
  { id, accountId, parcelId }: Order,
  { contacts, refused }: ReturnType<typeof readContacts>,
): Promise<Order> {
  const [order] = await tx
    .update(orders)
    .set({
      ...{ status: 'FULFILLED', contacts, refusedContacts: refused, vendorStatus: null },
      fulfilledAt: sql`clock_timestamp()`,
    })
    .where(eq(orders.id, id))
    .returning();
  // As it stays until this is committed, so that a later event never shows an earlier score.
  const [parcel] = await tx.select().from(parcels).where(eq(parcels.id, parcelId)).for('share');
  if (!order || !parcel) throw new Error('update returned no row');
  await holdLead(tx, { accountId, parcelId, via: 'purchased' });
  await recordCompleted(tx, style, { order, parcel, contacts });
  return order;
}

/** What the plan of this moment carries is what the event shows. */
async function recordCompleted(
  tx: Tx,
  style: LeadStyle,
  { order, parcel, contacts }: { order: Order; parcel: ParcelRow; contacts: Contacts },
): Promise<void> {
  // Nobody changes it until the event is committed.
  const [account] = await tx
    .select({ plan: accounts.plan })
    .from(accounts)
    .where(eq(accounts.id, order.accountId))
    .for('share');
  if (!account) throw new Error('an order of no account');
  const { plan } = account;
  await recordEvent(tx, {
    accountId: order.accountId,
    type: 'lead.skiptrace.completed',
    subject: `lead:${parcel.id}`,
    data: {
      ...leadData(parcel, plan, style),
      ...{ order_id: order.id, batch_id: order.batchId },
      ...{ list_id: order.listId, list_name: order.listName },
      ...eventContactFields(contacts, planIncludes(plan, CONTACTS_PLAN)),
    },
  });
}
