import { sql } from 'drizzle-orm';
import type { Tx } from '../db/client.ts';
import type { Tally } from './decide.ts';

/** Adds what a batch came to to the counts of a run, by account and by source. */
export async function addCounts(
  tx: Tx,
  runId: string,
  tallies: ReadonlyMap<string, Tally>,
): Promise<void> {
  const accounts = [...tallies].map(([accountId, tally]) => ({
    account_id: accountId,
    entered_hot_total: tally.enteredHotTotal,
    entered_hot_sent: tally.enteredHotSent,
    score_updated_total: tally.scoreUpdatedTotal,
    score_updated_sent: tally.scoreUpdatedSent,
    held_by_cap: tally.heldByCap,
    held_by_backlog: tally.heldByBacklog,
  }));
  const sources = [...tallies].flatMap(([accountId, tally]) =>
    [...tally.sources.values()].map(({ kind, id, name, enteredHot }) => ({
      ...{ account_id: accountId, kind, source_id: id, name, entered_hot: enteredHot },
    })),
  );
  await tx.execute(sql`
    with account as (
      insert into rescore_counts as c (
        run_id, account_id, entered_hot_total, entered_hot_sent, score_updated_total,
        score_updated_sent, held_by_cap, held_by_backlog)
      select ${runId}, a.*
      from json_to_recordset(${JSON.stringify(accounts)}::json) as a (
        account_id text, entered_hot_total int, entered_hot_sent int, score_updated_total int,
        score_updated_sent int, held_by_cap int, held_by_backlog int)
      on conflict (run_id, account_id) do update set
        entered_hot_total = c.entered_hot_total + excluded.entered_hot_total,
        entered_hot_sent = c.entered_hot_sent + excluded.entered_hot_sent,
        score_updated_total = c.score_updated_total + excluded.score_updated_total,
        score_updated_sent = c.score_updated_sent + excluded.score_updated_sent,
        held_by_cap = c.held_by_cap + excluded.held_by_cap,
        held_by_backlog = c.held_by_backlog + excluded.held_by_backlog
    )
    insert into rescore_source_counts as c (
      run_id, account_id, kind, source_id, name, entered_hot)
    select ${runId}, s.*
    from json_to_recordset(${JSON.stringify(sources)}::json) as s (
      account_id text, kind text, source_id text, name text, entered_hot int)
    on conflict (run_id, account_id, kind, source_id) do update set
      name = excluded.name, entered_hot = c.entered_hot + excluded.entered_hot`);
}
