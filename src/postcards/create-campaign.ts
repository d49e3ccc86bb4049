import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { campaigns } from '../../drizzle/schema.ts';
import { requireAccount } from '../accounts/accounts.ts';
import type { Db, Tx } from '../db/client.ts';
import { badRequest } from '../errors.ts';
import { newId } from '../ids.ts';
import { leadsOfList } from '../lists/leads-of-list.ts';
import { parseSourceName } from '../lists/source-name.ts';
import { insertOrders } from '../orders/insert-orders.ts';
import { MOST_ORDERS } from '../orders/order.ts';
import type { Campaign } from './campaign.ts';

/** A campaign that was just made. */
export interface NewCampaign {
  campaign: Campaign;
  cards: number;
  /** Leads of the list that get no card, because nobody knows where to send it. */
  withoutAddress: string[];
}

const mailable = z.array(z.object({ id: z.string(), hasAddress: z.boolean() }));

/**
 * Makes a campaign at draft, with one card for each lead of a list that has a mailing address. This
 * is no event: a draft has not moved (spec §3.3). A `bad_request` for a wrong name, and for a list
 * that is empty, too long, or has no lead that can be written to; then nothing is made.
 */
export async function createCampaign(
  { db }: { db: Db },
  input: { accountId: string; listId: string; name: string },
): Promise<NewCampaign> {
  const name = parseSourceName(input.name);
  return db.transaction(async (tx) => {
    const { id: accountId } = await requireAccount(tx, input.accountId);
    const list = await leadsOfList(tx, { accountId, listId: input.listId }, MOST_ORDERS);
    const { withAddress, withoutAddress } = await splitByAddress(tx, list.parcelIds);
    if (withAddress.length === 0) {
      throw badRequest('list', 'list: none of its leads has a mailing address.');
    }
    const [campaign] = await tx
      .insert(campaigns)
      .values({ id: newId('campaign'), accountId, name, listId: list.id })
      .returning();
    if (!campaign) throw new Error('insert returned no row');
    const batch = { accountId, batchId: newId('batch'), service: 'POSTCARD' as const, list };
    await insertOrders(tx, { ...batch, campaignId: campaign.id }, withAddress);
    return { campaign, cards: withAddress.length, withoutAddress };
  });
}

async function splitByAddress(tx: Tx, parcelIds: readonly string[]) {
  const rows = await tx.execute(sql`
    select id, btrim(mailing_address) <> '' as "hasAddress" from parcels
    where id = any (${sql.param(parcelIds)}::text[]) order by id`);
  const leads = mailable.parse(rows);
  const ids = (has: boolean) =>
    leads.filter(({ hasAddress }) => hasAddress === has).map(({ id }) => id);
  return { withAddress: ids(true), withoutAddress: ids(false) };
}
