import { asc, eq } from 'drizzle-orm';
import { orders } from '../../drizzle/schema.ts';
import { createList } from '../../src/lists/create-list.ts';
import { saveParcel } from '../../src/parcels/parcels.ts';
import { createCampaign, type NewCampaign } from '../../src/postcards/create-campaign.ts';
import { simulatedRejection } from '../../src/postcards/simulated-vendor.ts';
import type { TestRecords } from '../support/records.ts';

/** What no history, log or error may repeat of the parcels of these tests. */
export const PRIVATE_WORDS = ['Larkspur', 'Tansy Ln', 'Foxglove'];

let numbers = 0;

/** What becomes of a card here: the simulated vendor takes it or not, or there is no address. */
export type CardFate = 'taken' | 'undeliverable_address' | 'incomplete_address' | 'no_address';

/** New parcels to whose owners cards can be sent, or not. */
export async function newAddressees(
  { db }: TestRecords,
  count: number,
  fate: CardFate = 'taken',
): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    numbers += 1;
    const parcelId = `rowan:${numbers}`;
    const mailingAddress =
      fate === 'no_address'
        ? ' '
        : `${numbers} Foxglove Rd, Austin${fate === 'incomplete_address' ? '' : ', TX 78701'}`;
    const expected = fate === 'taken' ? undefined : fate;
    if (fate !== 'no_address' && simulatedRejection({ parcelId, mailingAddress }) !== expected) {
      continue;
    }
    await saveParcel(db, {
      ...{ county: 'rowan', account_num: String(numbers), city: 'Millbrook', zip: '75010' },
      address: `${numbers} Tansy Ln, Millbrook, TX 75010`,
      owner_name: 'Bo Larkspur',
      ...(fate !== 'no_address' && { mailing_address: mailingAddress }),
    });
    ids.push(parcelId);
  }
  return ids;
}

/** A campaign at draft for these parcels. */
export async function newCampaign(
  { context, db }: TestRecords,
  accountId: string,
  parcelIds: string[],
): Promise<NewCampaign> {
  const list = await createList(db, { accountId, name: 'Owners', parcelIds });
  return createCampaign(context, { accountId, listId: list.id, name: 'Spring' });
}

/** The cards of a campaign as they are stored. */
export function cardRows({ db }: TestRecords, campaignId: string) {
  return db
    .select()
    .from(orders)
    .where(eq(orders.campaignId, campaignId))
    .orderBy(asc(orders.parcelId));
}
