import { eq } from 'drizzle-orm';
import { deals, parcels } from '../../drizzle/schema.ts';
import { requireAccount } from '../accounts/accounts.ts';
import type { Db } from '../db/client.ts';
import { badRequest } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import { newId } from '../ids.ts';
import type { AppUrls } from '../urls.ts';
import { dealColumns } from './deal-columns.ts';
import type { Deal } from './deal-data.ts';
import { dealEventData, dealSubject } from './deal-event.ts';
import { parseNewDeal } from './deal-fields.ts';
import { NOTHING_BEFORE, settleChanges } from './settle-changes.ts';

/**
 * Creates a deal at NEW on a parcel and records deal.status_changed with from_status null, in one
 * transaction (spec §3.1). `changes` are further fields, its origin among them, checked here. An
 * unknown account or parcel is refused and nothing is written.
 */
export async function createDeal(
  { db, urls }: { db: Db; urls: AppUrls },
  input: { accountId: string; parcelId: string; changes?: unknown },
): Promise<Deal> {
  const { source, created_via, ...changes } = parseNewDeal(input.changes ?? {});
  const settled = settleChanges('NEW', NOTHING_BEFORE, changes);
  return db.transaction(async (tx) => {
    const account = await requireAccount(tx, input.accountId);
    const [parcel] = await tx.select().from(parcels).where(eq(parcels.id, input.parcelId));
    if (!parcel) throw badRequest('parcel', `parcel: there is no parcel ${input.parcelId}.`);
    const [deal] = await tx
      .insert(deals)
      .values({
        ...dealColumns({ ...settled, source, created_via }),
        id: newId('deal'),
        accountId: account.id,
        parcelId: parcel.id,
        status: 'NEW',
      })
      .returning();
    if (!deal) throw new Error('insert returned no row');
    await recordEvent(tx, {
      accountId: account.id,
      type: 'deal.status_changed',
      subject: dealSubject(deal.id),
      data: dealEventData(deal, parcel, null, urls),
    });
    return deal;
  });
}
