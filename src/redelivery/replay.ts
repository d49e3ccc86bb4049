import { and, desc, eq } from 'drizzle-orm';
import { replays } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { notFound } from '../errors.ts';
import type { DeliveryState } from '../domain/delivery.ts';
import type { ReplayState } from '../domain/replay.ts';

/** One wish to send again what an endpoint did not get. */
export interface Replay {
  id: string;
  accountId: string;
  endpointId: string;
  actor: string;
  states: DeliveryState[];
  since: string | null;
  until: string | null;
  /** How many deliveries there were when it was asked for. */
  total: number;
  /** How many have been made so far. */
  made: number;
  state: ReplayState;
  createdAt: string;
  finishedAt: string | null;
}

/** A replay of the account, or `not_found`. */
export async function showReplay(
  db: Db,
  { accountId, replayId }: { accountId: string; replayId: string },
): Promise<Replay> {
  const [replay] = await db
    .select()
    .from(replays)
    .where(and(eq(replays.accountId, accountId), eq(replays.id, replayId)));
  if (!replay) throw notFound('replay');
  return replay;
}

/** The newest replays of an endpoint, newest first. */
export async function listReplays(
  db: Db,
  { accountId, endpointId }: { accountId: string; endpointId: string },
): Promise<Replay[]> {
  return db
    .select()
    .from(replays)
    .where(and(eq(replays.accountId, accountId), eq(replays.endpointId, endpointId)))
    .orderBy(desc(replays.createdAt))
    .limit(20);
}
