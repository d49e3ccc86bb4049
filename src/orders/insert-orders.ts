import { sql } from 'drizzle-orm';
import type { Tx } from '../db/client.ts';
import type { OrderService } from '../domain/order-status.ts';
import { PRICE_CENTS } from '../domain/price.ts';
import { newId } from '../ids.ts';

/** What the orders of a batch have in common; those of a campaign are its cards. */
export interface NewBatch {
  accountId: string;
  batchId: string;
  service: OrderService;
  /** Where its leads are from; undefined when they were named one by one. */
  list?: { id: string; name: string } | undefined;
  campaignId?: string;
}

/** Writes one order for each parcel, QUEUED, at today's price; answers their ids in the same order. */
export async function insertOrders(
  tx: Tx,
  batch: NewBatch,
  parcelIds: readonly string[],
): Promise<string[]> {
  const { accountId, batchId, service, list, campaignId = null } = batch;
  const ids = parcelIds.map(() => newId('order'));
  await tx.execute(sql`
    insert into orders (id, account_id, batch_id, list_id, list_name, service, status, price_cents,
                        parcel_id, campaign_id, postcard_state)
    select o.id, ${accountId}, ${batchId}, ${list?.id ?? ''}, ${list?.name ?? ''}, ${service},
           'QUEUED', ${PRICE_CENTS[service]}::int, o.parcel_id, ${campaignId},
           ${service === 'POSTCARD' ? 'draft' : null}
    from unnest(${sql.param(ids)}::text[], ${sql.param(parcelIds)}::text[]) as o (id, parcel_id)`);
  return ids;
}
