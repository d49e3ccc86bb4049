import { and, eq } from 'drizzle-orm';
import { heldLeads } from '../../drizzle/schema.ts';
import { requireAccount } from '../accounts/accounts.ts';
import type { Db } from '../db/client.ts';
import { HELD_VIA, type HeldVia } from '../domain/held-via.ts';
import { badRequest } from '../errors.ts';
import { requireParcels } from '../parcels/require-parcels.ts';

/** A lead that an account holds, and in which way (spec §2.3, held_via). */
export interface HeldLead {
  accountId: string;
  parcelId: string;
  via: HeldVia;
}

/** From now on the account holds this lead in this way: it hears of changes of its score. */
export async function holdLead(db: Db, { accountId, parcelId, via }: HeldLead): Promise<void> {
  if (!HELD_VIA.includes(via)) {
    throw badRequest('via', `via: must be one of ${HELD_VIA.join(', ')}.`);
  }
  await requireAccount(db, accountId);
  await requireParcels(db, [parcelId]);
  await db.insert(heldLeads).values({ accountId, parcelId, via }).onConflictDoNothing();
}

/** The account holds the lead in this way no longer; answers whether it did. */
export async function releaseLead(
  db: Db,
  { accountId, parcelId, via }: HeldLead,
): Promise<boolean> {
  const removed = await db
    .delete(heldLeads)
    .where(
      and(
        eq(heldLeads.accountId, accountId),
        eq(heldLeads.parcelId, parcelId),
        eq(heldLeads.via, via),
      ),
    );
  return removed.count > 0;
}
