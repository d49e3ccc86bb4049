import { eq, sql } from 'drizzle-orm';
import { rescoreRuns } from '../../drizzle/schema.ts';
import type { Tx } from '../db/client.ts';
import { notFound } from '../errors.ts';
import type { RescoreProgress } from '../domain/rescore.ts';
import { addCounts } from './add-counts.ts';
import { decide } from './decide.ts';
import { recordChanges } from './record-changes.ts';
import type { RescoreContext } from './rescore-context.ts';
import { progressOf, type RescoreRun } from './rescore-run.ts';
import { scoreBatch, type ChangedParcel } from './score-batch.ts';
import { countUnfinished, readStandings } from './standings.ts';
import { writeSummaries } from './write-summaries.ts';
import { findWatchers } from './watchers.ts';

/**
 * A batch waits so long for a lock and then gives way. It is less than PostgreSQL takes to notice a
 * deadlock (a second), so that it is never the other side, an import, that is broken off.
 */
const LOCK_TIMEOUT = sql`set local lock_timeout = '500ms'`;

/**
 * Takes a run one batch further, in one transaction: the next parcels get their scores, what changed
 * for whom is recorded as events or counted, and the cursor moves. When no parcel is left, the
 * summaries are written in the same way, and then the run is finished. The run's row is locked and
 * tells where it stands, so however often this is called, by whomever, each batch is made once.
 *
 * Another transaction in the way is an error for which `isPassingConflict` holds.
 */
export async function rescoreBatch(
  context: RescoreContext,
  runId: string,
): Promise<RescoreProgress> {
  return context.db.transaction(async (tx) => {
    await tx.execute(LOCK_TIMEOUT);
    const [run] = await tx
      .select()
      .from(rescoreRuns)
      .where(eq(rescoreRuns.id, runId))
      .for('update');
    if (!run) throw notFound('rescore run');
    if (run.state === 'finished') return progressOf(run);
    const change =
      run.scoredAt === null
        ? await scoreNext(tx, context, run)
        : await writeSummaries(tx, context.style, run);
    const [moved] = await tx
      .update(rescoreRuns)
      .set({ ...change, progressedAt: sql`clock_timestamp()` })
      .where(eq(rescoreRuns.id, runId))
      .returning();
    return progressOf(moved!);
  });
}

async function scoreNext(tx: Tx, context: RescoreContext, run: RescoreRun) {
  const { cursor, day } = run;
  const { batch: limit } = context.limits;
  const { parcels, last, changed } = await scoreBatch(tx, { after: cursor, limit, day });
  if (parcels === 0) return { scoredAt: sql`clock_timestamp()` };
  const { events, heldBack } = await tellOfChanges(tx, context, run, changed);
  return {
    cursor: last,
    parcels: run.parcels + parcels,
    changed: run.changed + changed.length,
    events: run.events + events,
    heldBack: run.heldBack + heldBack,
  };
}

/** Records or counts what changed; answers how many of each. */
async function tellOfChanges(
  tx: Tx,
  { style, limits }: RescoreContext,
  { id: runId }: RescoreRun,
  changed: readonly ChangedParcel[],
): Promise<{ events: number; heldBack: number }> {
  if (changed.length === 0) return { events: 0, heldBack: 0 };
  const watchers = await findWatchers(tx, changed);
  const accounts = new Set([
    ...[...watchers.byParcel.values()].flatMap((interests) => [...interests.keys()]),
    ...[...watchers.byCounty.values()].flat(),
  ]);
  if (accounts.size === 0) return { events: 0, heldBack: 0 };
  const standings = await readStandings(tx, runId, [...accounts]);
  const { cap, backlog } = limits;
  const unfinished = await countUnfinished(tx, backlog);
  const { events, tallies } = decide(changed, watchers, standings, { cap, backlog, unfinished });
  await recordChanges(tx, { runId, style }, events, (id) => standings.get(id)?.plan ?? 'free');
  await addCounts(tx, runId, tallies);
  const held = [...tallies.values()].map((tally) => tally.heldByCap + tally.heldByBacklog);
  return { events: events.length, heldBack: held.reduce((sum, count) => sum + count, 0) };
}
