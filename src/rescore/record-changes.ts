import { inArray } from 'drizzle-orm';
import { parcels } from '../../drizzle/schema.ts';
import type { Tx } from '../db/client.ts';
import type { Plan } from '../domain/plan.ts';
import { tierOf } from '../domain/tier.ts';
import { recordEvents, type AnyNewEvent } from '../events/record-events.ts';
import { leadData, type LeadStyle } from '../leads/lead-data.ts';
import type { ParcelRow } from '../parcels/evaluate-parcel.ts';
import type { PlannedEvent } from './decide.ts';

/** How many events have their payloads in memory at once. */
const SLICE = 1_000;

/**
 * Records the events of a batch, each with the lead as it now is and as its account's plan shows it.
 * To be called after the parcels have their new scores.
 */
export async function recordChanges(
  tx: Tx,
  { runId, style }: { runId: string; style: LeadStyle },
  planned: readonly PlannedEvent[],
  planOf: (accountId: string) => Plan,
): Promise<void> {
  // By account and lead, as recordEvents locks them: its calls then keep to one order, too.
  const inOrder = planned.toSorted(
    (a, b) => compare(a.accountId, b.accountId) || compare(a.parcelId, b.parcelId),
  );
  const rows = await parcelsById(tx, [...new Set(planned.map(({ parcelId }) => parcelId))]);
  for (let first = 0; first < inOrder.length; first += SLICE) {
    const events = inOrder.slice(first, first + SLICE).map((event) => {
      const parcel = rows.get(event.parcelId);
      if (!parcel) throw new Error(`there is no parcel ${event.parcelId}`);
      return newEvent(event, leadData(parcel, planOf(event.accountId), style), runId);
    });
    await recordEvents(tx, events);
  }
}

function newEvent(
  planned: PlannedEvent,
  lead: ReturnType<typeof leadData>,
  runId: string,
): AnyNewEvent {
  const { accountId, parcelId, previousScore } = planned;
  const data = {
    ...lead,
    previous_score: previousScore,
    previous_tier: tierOf(previousScore),
    rescore_run_id: runId,
  };
  const about = { accountId, subject: `lead:${parcelId}` };
  return planned.type === 'lead.entered_hot'
    ? { ...about, type: planned.type, data: { ...data, sources: planned.sources } }
    : { ...about, type: planned.type, data: { ...data, held_via: planned.heldVia } };
}

async function parcelsById(tx: Tx, ids: string[]): Promise<Map<string, ParcelRow>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.select().from(parcels).where(inArray(parcels.id, ids));
  return new Map(rows.map((row) => [row.id, row]));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
