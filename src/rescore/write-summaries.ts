import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { rescoreCounts, rescoreSourceCounts } from '../../drizzle/schema.ts';
import type { Tx } from '../db/client.ts';
import { WATCH_KINDS } from '../domain/rescore.ts';
import { recordEvents } from '../events/record-events.ts';
import type { LeadStyle } from '../leads/lead-data.ts';
import type { RescoreRun } from './rescore-run.ts';

/** How many accounts get their summary in one transaction. */
const BATCH = 100;

/**
 * Writes the next summaries of a run (spec §6.1): one for each account of which anything was held
 * back, none for others. Answers what changes on the run, whose row the transaction holds; it is
 * finished when no account is left.
 */
export async function writeSummaries(tx: Tx, { urls }: LeadStyle, run: RescoreRun) {
  const due = await tx
    .select()
    .from(rescoreCounts)
    .where(
      and(
        eq(rescoreCounts.runId, run.id),
        isNull(rescoreCounts.summarisedAt),
        sql`${rescoreCounts.heldByCap} + ${rescoreCounts.heldByBacklog} > 0`,
      ),
    )
    .orderBy(asc(rescoreCounts.accountId))
    .limit(BATCH);
  if (due.length === 0) return { state: 'finished', finishedAt: sql`clock_timestamp()` } as const;
  const accountIds = due.map(({ accountId }) => accountId);
  const ofAccounts = and(
    eq(rescoreSourceCounts.runId, run.id),
    inArray(rescoreSourceCounts.accountId, accountIds),
  );
  const sources = await tx
    .select()
    .from(rescoreSourceCounts)
    .where(ofAccounts)
    .orderBy(asc(rescoreSourceCounts.sourceId));
  await recordEvents(
    tx,
    due.map((counts) => ({
      accountId: counts.accountId,
      type: 'rescore.summary' as const,
      subject: `rescore:${run.id}`,
      data: {
        rescore_run_id: run.id,
        reason: counts.heldByBacklog > 0 ? ('backlog' as const) : ('cap_exceeded' as const),
        entered_hot_total: counts.enteredHotTotal,
        entered_hot_sent: counts.enteredHotSent,
        score_updated_total: counts.scoreUpdatedTotal,
        score_updated_sent: counts.scoreUpdatedSent,
        per_source: sources
          .filter(({ accountId }) => accountId === counts.accountId)
          .map(({ kind, sourceId, name, enteredHot }) => ({
            ...{ kind, id: sourceId, name, entered_hot: enteredHot },
          }))
          .sort((a, b) => WATCH_KINDS.indexOf(a.kind) - WATCH_KINDS.indexOf(b.kind)),
        view_url: urls.rescore(run.id),
      },
    })),
  );
  await tx
    .update(rescoreCounts)
    .set({ summarisedAt: sql`clock_timestamp()` })
    .where(and(eq(rescoreCounts.runId, run.id), inArray(rescoreCounts.accountId, accountIds)));
  return { summaries: run.summaries + due.length };
}
