import { eq } from 'drizzle-orm';
import { deals } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { badRequest } from '../errors.ts';
import { dealColumns } from './deal-columns.ts';
import type { Deal } from './deal-data.ts';
import { DEAL_CHANGE_FIELDS, parseDealChanges } from './deal-fields.ts';
import { lockDeal, MOMENT_OF_CHANGE } from './lock-deal.ts';
import { settleChanges } from './settle-changes.ts';

/**
 * Changes fields of a deal where it stands. No event is recorded, since events tell of moves (spec
 * §3.1); the Read API shows it as the newest activity. It takes turns with moves and other changes
 * on the deal's row. A field that is wrong is refused by its name, and nothing is written.
 */
export async function updateDeal(
  { db }: { db: Db },
  input: { accountId: string; dealId: string; changes: unknown },
): Promise<Deal> {
  const changes = parseDealChanges(input.changes);
  if (Object.values(changes).every((value) => value === undefined)) {
    const fields = DEAL_CHANGE_FIELDS.join(', ');
    throw badRequest('changes', `changes: at least one field must be given, of ${fields}.`);
  }
  return db.transaction(async (tx) => {
    const { deal: before } = await lockDeal(tx, input);
    const [after] = await tx
      .update(deals)
      .set({
        ...dealColumns(settleChanges(before.status, before, changes)),
        lastActivityAt: MOMENT_OF_CHANGE,
        updatedAt: MOMENT_OF_CHANGE,
      })
      .where(eq(deals.id, before.id))
      .returning();
    if (!after) throw new Error('update returned no row');
    return after;
  });
}
