import { desc, eq, sql, type InferSelectModel } from 'drizzle-orm';
import { rescoreCounts, rescoreRuns, rescoreSourceCounts } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import type { RescoreProgress } from '../domain/rescore.ts';
import { notFound } from '../errors.ts';

/** One rescore of all parcels. */
export type RescoreRun = InferSelectModel<typeof rescoreRuns>;

/** What a rescore came to for one account. */
export type RescoreCounts = Omit<InferSelectModel<typeof rescoreCounts>, 'runId'>;

/** How far a run is: counts only, as histories may hold them. */
export function progressOf(run: RescoreRun): RescoreProgress {
  const { state, parcels, parcelsExpected, changed, events, heldBack, summaries } = run;
  return { state, parcels, parcelsExpected, changed, events, heldBack, summaries };
}

/** The newest rescores, newest first. */
export async function listRescores(db: Db, limit = 20): Promise<RescoreRun[]> {
  return db.select().from(rescoreRuns).orderBy(desc(rescoreRuns.id)).limit(limit);
}

/** A rescore, or `not_found`. */
export async function readRescore(db: Db, runId: string): Promise<RescoreRun> {
  const [run] = await db.select().from(rescoreRuns).where(eq(rescoreRuns.id, runId));
  if (!run) throw notFound('rescore run');
  return run;
}

/** A rescore with what it came to for each account, or `not_found`. */
export async function showRescore(
  db: Db,
  runId: string,
): Promise<RescoreRun & { accounts: (RescoreCounts & { sources: number })[] }> {
  const run = await readRescore(db, runId);
  const accounts = await db
    .select({
      accountId: rescoreCounts.accountId,
      enteredHotTotal: rescoreCounts.enteredHotTotal,
      enteredHotSent: rescoreCounts.enteredHotSent,
      scoreUpdatedTotal: rescoreCounts.scoreUpdatedTotal,
      scoreUpdatedSent: rescoreCounts.scoreUpdatedSent,
      heldByCap: rescoreCounts.heldByCap,
      heldByBacklog: rescoreCounts.heldByBacklog,
      summarisedAt: rescoreCounts.summarisedAt,
      sources: sql<number>`(select count(*)::int from ${rescoreSourceCounts}
        where ${rescoreSourceCounts.runId} = ${rescoreCounts.runId}
          and ${rescoreSourceCounts.accountId} = ${rescoreCounts.accountId})`,
    })
    .from(rescoreCounts)
    .where(eq(rescoreCounts.runId, runId))
    .orderBy(rescoreCounts.accountId);
  return { ...run, accounts };
}
