import { and, eq, isNull, sql } from 'drizzle-orm';
import { replays } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import type { Db, Tx } from '../db/client.ts';
import { conflict } from '../errors.ts';
import { showReplay, type Replay } from './replay.ts';

/** Ends a replay: what it has made goes on, the rest waits as before. */
export async function stopReplay(
  { db, actor }: { db: Db; actor: string },
  which: { accountId: string; replayId: string },
): Promise<Replay> {
  return db.transaction(async (tx) => {
    const { accountId, replayId } = which;
    const [stopped] = await tx
      .update(replays)
      .set({ state: 'stopped', finishedAt: sql`clock_timestamp()` })
      .where(
        and(eq(replays.accountId, accountId), eq(replays.id, replayId), isNull(replays.finishedAt)),
      )
      .returning();
    if (!stopped) {
      const { state } = await showReplay(tx, which);
      throw conflict(`The replay is ${state} already.`);
    }
    await recordAudit(tx, {
      ...{ actor, action: 'endpoint.replay_stopped', accountId },
      ...{ subjectId: stopped.endpointId, details: { replay_id: replayId, made: stopped.made } },
    });
    return stopped;
  });
}

/**
 * Ends the replay of an endpoint that is taken away, if there is one. Before the endpoint's
 * deliveries are locked: the order in which a replay locks them.
 */
export async function stopReplayOf(tx: Tx, { endpointId }: { endpointId: string }): Promise<void> {
  await tx
    .update(replays)
    .set({ state: 'stopped', finishedAt: sql`clock_timestamp()` })
    .where(and(eq(replays.endpointId, endpointId), isNull(replays.finishedAt)));
}
