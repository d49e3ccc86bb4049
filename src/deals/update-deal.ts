import { eq } from 'drizzle-orm';
import { deals } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { CLOSED_FROM } from '../domain/deal-status.ts';
import { badRequest } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import type { AppUrls } from '../urls.ts';
import { checkClosedMoney } from './closed-money.ts';
import { dealColumns } from './deal-columns.ts';
import { hasActuals, type Deal } from './deal-data.ts';
import { closedDealEventData, dealEventData, dealSubject } from './deal-event.ts';
import {
  DEAL_ACTUAL_FIELDS,
  DEAL_CHANGE_FIELDS,
  parseDealActuals,
  parseDealChanges,
} from './deal-fields.ts';
import { lockDeal, MOMENT_OF_CHANGE } from './lock-deal.ts';
import { settleChanges } from './settle-changes.ts';

/**
 * Changes fields of a deal where it stands. No event is recorded, since events tell of moves (spec
 * §3.1); the Read API shows it as the newest activity. The exception are the actuals of a deal that
 * closed without them: they may be given once, and deal.closed is recorded with them, in the same
 * transaction. Changes take turns with moves and other changes on the deal's row. A field that is wrong,
 * or may not be changed at CLOSED (closed-money.ts), is refused by its name, and nothing is written.
 */
export async function updateDeal(
  { db, urls }: { db: Db; urls: AppUrls },
  input: { accountId: string; dealId: string; changes?: unknown; actuals?: unknown },
): Promise<Deal> {
  const changes = parseDealChanges(input.changes ?? {});
  const actuals = parseDealActuals(input.actuals ?? {});
  refuseNothing({ ...changes, ...actuals });
  return db.transaction(async (tx) => {
    const { deal: before, parcel } = await lockDeal(tx, input);
    checkClosedMoney(before, changes, actuals);
    const [after] = await tx
      .update(deals)
      .set({
        ...dealColumns({ ...settleChanges(before.status, before, changes), ...actuals }),
        lastActivityAt: MOMENT_OF_CHANGE,
        updatedAt: MOMENT_OF_CHANGE,
      })
      .where(eq(deals.id, before.id))
      .returning();
    if (!after) throw new Error('update returned no row');
    if (hasActuals(after) && !hasActuals(before)) {
      const base = dealEventData(after, parcel, CLOSED_FROM, urls);
      await recordEvent(tx, {
        ...{ accountId: after.accountId, type: 'deal.closed', subject: dealSubject(after.id) },
        data: closedDealEventData(after, base),
      });
    }
    return after;
  });
}

function refuseNothing(given: Record<string, unknown>): void {
  if (Object.values(given).some((value) => value !== undefined)) return;
  const fields = [...DEAL_CHANGE_FIELDS, ...DEAL_ACTUAL_FIELDS].join(', ');
  throw badRequest('changes', `changes: at least one field must be given, of ${fields}.`);
}
