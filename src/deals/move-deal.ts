import { and, eq, sql } from 'drizzle-orm';
import { deals, parcels } from '../../drizzle/schema.ts';
import type { Db, Tx } from '../db/client.ts';
import { DEAL_MOVES, DEAL_STATUSES, type DealStatus } from '../domain/deal-status.ts';
import { badRequest, conflict, notFound } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import type { AppUrls } from '../urls.ts';
import { dealColumns } from './deal-columns.ts';
import type { Deal } from './deal-data.ts';
import { closedDealEventData, dealEventData, dealSubject } from './deal-event.ts';
import {
  parseDealActuals,
  parseDealChanges,
  type DealActuals,
  type DealChanges,
} from './deal-fields.ts';

/**
 * Moves a deal to another stage and records deal.status_changed, and deal.closed as well when it
 * closes with at least one actual figure, all in one transaction (spec §3.1). Moves of one deal
 * take turns on its row, so that every one starts from the state that the last one left. A move
 * that the stage does not allow, or a wrong field, is refused and nothing is written.
 */
export async function moveDeal(
  { db, urls }: { db: Db; urls: AppUrls },
  input: { accountId: string; dealId: string; to: string; changes?: unknown; actuals?: unknown },
): Promise<Deal> {
  const to = parseStatus(input.to);
  const changes = parseDealChanges(input.changes ?? {});
  const actuals = parseDealActuals(input.actuals ?? {});
  refuseFieldsOfAnotherStage(to, changes, actuals);
  return db.transaction(async (tx) => {
    const { deal: before, parcel } = await lockDeal(tx, input.accountId, input.dealId);
    refuseWrongMove(before.status, to);
    const now = sql<string>`clock_timestamp()`;
    const [after] = await tx
      .update(deals)
      .set({
        ...dealColumns({ ...changes, ...actuals }),
        // A reason for having died belongs to the dead stage only.
        ...(to === 'DEAD' ? {} : { deadReason: null }),
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
    if (isClosed(after) && hasActuals(actuals)) {
      const closed = closedDealEventData(after, data);
      await recordEvent(tx, { ...event, type: 'deal.closed', data: closed });
    }
    return after;
  });
}

async function lockDeal(tx: Tx, accountId: string, dealId: string) {
  const [row] = await tx
    .select({ deal: deals, parcel: parcels })
    .from(deals)
    .innerJoin(parcels, eq(parcels.id, deals.parcelId))
    .where(and(eq(deals.accountId, accountId), eq(deals.id, dealId)))
    .for('update', { of: deals });
  if (!row) throw notFound('deal');
  return row;
}

function parseStatus(text: string): DealStatus {
  const status = DEAL_STATUSES.find((known) => known === text.toUpperCase());
  if (!status) throw badRequest('status', `status: must be one of ${DEAL_STATUSES.join(', ')}.`);
  return status;
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

function refuseFieldsOfAnotherStage(
  to: DealStatus,
  changes: DealChanges,
  actuals: DealActuals,
): void {
  if (changes.dead_reason && to !== 'DEAD') {
    throw badRequest('dead_reason', 'dead_reason: is given only when a deal moves to DEAD.');
  }
  const [field] = Object.keys(actuals);
  if (field && to !== 'CLOSED') {
    throw badRequest(field, `${field}: is given only when a deal moves to CLOSED.`);
  }
}

function hasActuals(actuals: DealActuals): boolean {
  return Object.values(actuals).some((amount) => typeof amount === 'number');
}

function isClosed(deal: Deal): deal is Deal & { closedAt: string } {
  return deal.closedAt !== null;
}
