import { eq } from 'drizzle-orm';
import { deals } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { DEAL_MOVES, type DealStatus } from '../domain/deal-status.ts';
import { badRequest, conflict } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import type { AppUrls } from '../urls.ts';
import { dealColumns } from './deal-columns.ts';
import { hasActuals, type Deal } from './deal-data.ts';
import { closedDealEventData, dealEventData, dealSubject } from './deal-event.ts';
import {
  parseDealActuals,
  parseDealChanges,
  parseDealStatus,
  type DealActuals,
} from './deal-fields.ts';
import { lockDeal, MOMENT_OF_CHANGE } from './lock-deal.ts';
import { settleMove } from './settle-changes.ts';

/**
 * Moves a deal to another stage and records deal.status_changed, and deal.closed as well when it
 * closes with at least one actual figure, all in one transaction (spec §3.1). Actuals that are not known
 * yet may be given later (update-deal.ts). Moves of one deal take turns on its row, so that every one
 * starts from the state that the last one left. A move that the stage does not allow, or a wrong field,
 * is refused and nothing is written.
 */
export async function moveDeal(
  { db, urls }: { db: Db; urls: AppUrls },
  input: { accountId: string; dealId: string; to: string; changes?: unknown; actuals?: unknown },
): Promise<Deal> {
  const to = parseDealStatus(input.to);
  const changes = parseDealChanges(input.changes ?? {});
  const actuals = parseDealActuals(input.actuals ?? {});
  refuseEarlyActuals(to, actuals);
  return db.transaction(async (tx) => {
    const { deal: before, parcel } = await lockDeal(tx, input);
    refuseWrongMove(before.status, to);
    const now = MOMENT_OF_CHANGE;
    const [after] = await tx
      .update(deals)
      .set({
        ...dealColumns({ ...settleMove(to, before, changes), ...actuals }),
        status: to,
        stageEnteredAt: now,
        lastActivityAt: now,
        updatedAt: now,
        closedAt: to === 'CLOSED' ? now : null,
      })
      .where(eq(deals.id, before.id))
      .returning();
    if (!after) throw new Error('update returned no row');
    const event = { accountId: after.accountId, subject: dealSubject(after.id) };
    const data = dealEventData(after, parcel, before.status, urls);
    await recordEvent(tx, { ...event, type: 'deal.status_changed', data });
    if (hasActuals(after)) {
      const closed = closedDealEventData(after, data);
      await recordEvent(tx, { ...event, type: 'deal.closed', data: closed });
    }
    return after;
  });
}

function refuseWrongMove(from: DealStatus, to: DealStatus): void {
  if (DEAL_MOVES[from].includes(to)) return;
  const allowed = DEAL_MOVES[from].join(', ');
  throw conflict(
    from === to
      ? `The deal is at ${from} already.`
      : `A deal cannot move from ${from} to ${to}; ${allowed ? `from ${from} it may move to ${allowed}` : `${from} is final`}.`,
  );
}

function refuseEarlyActuals(to: DealStatus, actuals: DealActuals): void {
  const [field] = Object.keys(actuals);
  if (field && to !== 'CLOSED') {
    throw badRequest(field, `${field}: is given only when a deal moves to CLOSED, or afterwards.`);
  }
}
