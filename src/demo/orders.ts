import { eq, inArray } from 'drizzle-orm';
import { campaigns, orders, parcels } from '../../drizzle/schema.ts';
import type { Tx } from '../db/client.ts';
import { POSTCARD_PACE } from '../domain/postcard-pace.ts';
import { newId } from '../ids.ts';
import { holdLead } from '../leads/hold-lead.ts';
import { insertOrders } from '../orders/insert-orders.ts';
import { simulatedRejection } from '../postcards/simulated-vendor.ts';
import { readContacts } from '../skip-trace/read-contacts.ts';
import { createSimulatedVendor } from '../skip-trace/simulated-vendor.ts';
import { parseVendorResult } from '../skip-trace/vendor-result.ts';

/** How many of a list's leads were traced, and how many are ordered and not paid for. */
const TRACED = 8;
const QUEUED = 2;

const DAY_MS = 86_400_000;

/** The list that the orders are from, and its leads. */
interface Source {
  accountId: string;
  list: { id: string; name: string };
  parcelIds: readonly string[];
}

/**
 * Gives an account a history: skip traces that were fulfilled days ago, some that wait to be paid for,
 * and a campaign of postcards that has arrived. The rows are what the actions would have left, the
 * contacts what the simulated vendor finds; no event is recorded about what has been.
 */
export async function seedOrders(tx: Tx, source: Source): Promise<void> {
  const { parcelIds } = source;
  await seedCampaign(tx, source);
  await seedTraced(tx, { ...source, parcelIds: parcelIds.slice(0, TRACED) });
  const queued = parcelIds.slice(TRACED, TRACED + QUEUED);
  const batch = { ...source, batchId: newId('batch'), service: 'SKIP_TRACE' as const };
  await insertOrders(tx, batch, queued);
}

async function seedTraced(tx: Tx, source: Source): Promise<void> {
  const { accountId, list, parcelIds } = source;
  const ordered = daysAgo(6);
  const batch = { accountId, list, batchId: newId('batch'), service: 'SKIP_TRACE' as const };
  const ids = await insertOrders(tx, batch, parcelIds);
  const vendor = createSimulatedVendor(() => new Date(Date.parse(ordered) + 60_000));
  for (const [index, orderId] of ids.entries()) {
    const parcelId = parcelIds[index] ?? '';
    const [parcel] = await tx.select().from(parcels).where(eq(parcels.id, parcelId));
    if (!parcel) throw new Error(`there is no parcel ${parcelId}`);
    const request = { orderId, ...parcel, parcelId, signal: new AbortController().signal };
    // Some parcels' first request fails.
    const answer = await vendor.trace(request).catch(() => vendor.trace(request));
    const { contacts, refused } = readContacts(parseVendorResult(answer));
    await tx
      .update(orders)
      .set({
        ...{ status: 'FULFILLED', contacts, refusedContacts: refused },
        ...{ createdAt: ordered, paidAt: ordered, fulfilledAt: contacts.traced_at },
      })
      .where(eq(orders.id, orderId));
    await holdLead(tx, { accountId, parcelId, via: 'purchased' });
  }
}

async function seedCampaign(tx: Tx, { accountId, list, parcelIds }: Source): Promise<void> {
  const { productionMs, deliveryMs } = POSTCARD_PACE;
  const made = daysAgo(9);
  const mailedAt = new Date(Date.parse(made) + productionMs).toISOString();
  const delivered = new Date(Date.parse(mailedAt) + deliveryMs).toISOString();
  const campaignId = newId('campaign');
  await tx.insert(campaigns).values({
    ...{ id: campaignId, accountId, listId: list.id, name: `${list.name}: first card` },
    ...{ state: 'delivered_est', mailedAt, estDeliveryDate: delivered.slice(0, 10) },
    ...{ createdAt: made, submittedAt: made, updatedAt: delivered },
  });
  const batch = { accountId, list, batchId: newId('batch'), service: 'POSTCARD' as const };
  const chosen = await tx
    .select({ id: parcels.id, mailingAddress: parcels.mailingAddress })
    .from(parcels)
    .where(inArray(parcels.id, [...parcelIds]))
    .orderBy(parcels.id);
  const mailable = chosen.filter(({ mailingAddress }) => mailingAddress.trim() !== '');
  const ids = await insertOrders(
    tx,
    { ...batch, campaignId },
    mailable.map(({ id }) => id),
  );
  const common = { createdAt: made, paidAt: made };
  for (const [index, { id: parcelId, mailingAddress }] of mailable.entries()) {
    const reason = simulatedRejection({ parcelId, mailingAddress });
    const card = reason
      ? {
          ...{ status: 'CANCELLED' as const, postcardState: 'production' as const },
          vendorStatus: `rejected: ${reason}`,
        }
      : {
          ...{ status: 'FULFILLED' as const, postcardState: 'delivered_est' as const },
          ...{ vendorStatus: 'delivered_est', mailedAt, fulfilledAt: mailedAt },
        };
    await tx
      .update(orders)
      .set({ ...common, ...card })
      .where(eq(orders.id, ids[index] ?? ''));
  }
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}
