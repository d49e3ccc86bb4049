import { setTimeout as delay } from 'node:timers/promises';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import { deliveries, endpoints, replays } from '../../drizzle/schema.ts';
import type { Db, Tx } from '../db/client.ts';
import { isUniqueViolation } from '../db/postgres-errors.ts';
import type { ReplayProgress } from '../../workflows/contract.ts';
import { startRedelivery } from './redeliver.ts';
import type { Replay } from './replay.ts';
import { selectedBy } from './replay-selection.ts';

/** How many are looked up at a time, and made before the workflow hears of it. */
const BATCH = 50;

/** The workflow hears of it after this time at the latest, however slow the receiver is. */
const TURN_MS = 5_000;

/** How often the delivery under way is looked at. */
const LOOK_MS = 25;

const ids = z.array(z.object({ id: z.string() }));

/** When this turn ends, by `performance.now()`, or sooner by the signal. */
interface Turn {
  until: number;
  signal: AbortSignal | undefined;
}

const isOver = (turn: Turn): boolean => performance.now() > turn.until;

/**
 * Makes the next redeliveries of a replay: one after another, each only when the one before has had
 * its first attempt. So they arrive in order, and a receiver that has just come back gets one
 * request at a time. Where it stands is in Postgres; interrupted, it goes on from there.
 */
export async function continueReplay(
  db: Db,
  replayId: string,
  signal?: AbortSignal,
): Promise<ReplayProgress> {
  const turn: Turn = { until: performance.now() + TURN_MS, signal };
  const replay = await runningReplay(db, replayId);
  if (!replay) return progressOf(db, replayId);
  await previousAttempted(db, replayId, turn);
  if (isOver(turn)) return progressOf(db, replayId);
  const candidates = await nextCandidates(db, replay);
  let { made } = replay;
  for (const deliveryId of candidates) {
    const next = await makeNext(db, { replayId, made }, deliveryId);
    if (next === 'over') return progressOf(db, replayId);
    if (next) {
      made += 1;
      await attempted(db, next, turn);
    }
    if (isOver(turn)) return progressOf(db, replayId);
  }
  if (candidates.length === 0) await finish(db, replayId, 'done');
  return progressOf(db, replayId);
}

async function runningReplay(db: Db, replayId: string): Promise<Replay | undefined> {
  const [replay] = await db
    .select()
    .from(replays)
    .where(and(eq(replays.id, replayId), isNull(replays.finishedAt)));
  return replay;
}

async function nextCandidates(db: Db, replay: Replay): Promise<string[]> {
  const rows = await db.execute(sql`
    select d.id from deliveries d
    where ${selectedBy(replay, replay.createdAt)}
    order by d.event_at, d.id
    limit ${BATCH}`);
  return ids.parse(rows).map(({ id }) => id);
}

/**
 * Makes one redelivery; undefined when there is nothing to make of it. `over`: the replay is, or
 * this turn, because a twin of it has made one meanwhile, which has to be waited for.
 */
async function makeNext(
  db: Db,
  { replayId, made }: { replayId: string; made: number },
  deliveryId: string,
): Promise<string | 'over' | undefined> {
  try {
    return await db.transaction(async (tx) => {
      const [replay] = await tx
        .select()
        .from(replays)
        .where(eq(replays.id, replayId))
        .for('update');
      if (!replay || replay.finishedAt !== null || replay.made !== made) return 'over';
      if (!(await isActive(tx, replay.endpointId))) {
        await finish(tx, replayId, 'stopped');
        return 'over';
      }
      if (!(await stillWanted(tx, replay, deliveryId))) return undefined;
      const { accountId } = replay;
      const id = await startRedelivery(tx, { deliveryId, accountId, replayId });
      await tx
        .update(replays)
        .set({ made: sql`${replays.made} + 1` })
        .where(eq(replays.id, replayId));
      return id;
    });
  } catch (error) {
    // Somebody has just asked for this very delivery.
    if (isUniqueViolation(error, 'deliveries_event_endpoint_round')) return undefined;
    throw error;
  }
}

/**
 * False when another delivery of the event has taken over since it was looked up, or an attempt
 * that was in flight at a pause has come back with a 2xx.
 */
async function stillWanted(tx: Tx, replay: Replay, deliveryId: string): Promise<boolean> {
  const rows = await tx.execute(sql`
    select d.id from deliveries d
    where d.id = ${deliveryId} and ${selectedBy(replay, replay.createdAt)}
    for update`);
  return rows.length > 0;
}

async function isActive(tx: Tx, endpointId: string): Promise<boolean> {
  const [endpoint] = await tx
    .select({ state: endpoints.state })
    .from(endpoints)
    .where(eq(endpoints.id, endpointId));
  return endpoint?.state === 'active';
}

async function finish(db: Db, replayId: string, state: 'done' | 'stopped'): Promise<void> {
  await db
    .update(replays)
    .set({ state, finishedAt: sql`clock_timestamp()` })
    .where(and(eq(replays.id, replayId), isNull(replays.finishedAt)));
}

/** After an interruption: the one that was made last may still be waiting for its attempt. */
async function previousAttempted(db: Db, replayId: string, turn: Turn): Promise<void> {
  const rows = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.replayId, replayId),
        isNull(deliveries.finishedAt),
        eq(deliveries.attemptsMade, 0),
      ),
    );
  for (const { id } of rows) await attempted(db, id, turn);
}

/** Resolves when a delivery has had its first attempt or ended without, or the turn is over. */
async function attempted(db: Db, deliveryId: string, turn: Turn): Promise<void> {
  while (!isOver(turn)) {
    const [delivery] = await db
      .select({ attemptsMade: deliveries.attemptsMade, finishedAt: deliveries.finishedAt })
      .from(deliveries)
      .where(eq(deliveries.id, deliveryId));
    if (!delivery || delivery.attemptsMade > 0 || delivery.finishedAt !== null) return;
    await delay(LOOK_MS, undefined, turn.signal && { signal: turn.signal });
  }
}

async function progressOf(db: Db, replayId: string): Promise<ReplayProgress> {
  const [replay] = await db
    .select({ state: replays.state, made: replays.made, total: replays.total })
    .from(replays)
    .where(eq(replays.id, replayId));
  if (!replay) throw new Error(`There is no replay ${replayId}.`);
  return replay;
}
