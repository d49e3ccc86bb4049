import { eq, sql } from 'drizzle-orm';
import { parcels, rescoreRuns } from '../../drizzle/schema.ts';
import type { Db, Tx } from '../db/client.ts';
import { NO_ACCOUNT } from '../domain/outbox-task.ts';
import type { RescoreTrigger } from '../domain/rescore.ts';
import { rescoreWorkflowId } from '../domain/workflow-id.ts';
import { conflict } from '../errors.ts';
import { newId } from '../ids.ts';
import { today } from '../parcels/evaluate-parcel.ts';
import { enqueue } from '../relay/enqueue.ts';
import type { RescoreRun } from './rescore-run.ts';

/** A run that was asked for, and whether this is what began it. */
export interface RequestedRescore {
  run: RescoreRun;
  begun: boolean;
}

/** One could end between being in the way and being looked up; not three times in a row. */
const TRIES = 3;

/**
 * Begins a rescore of all parcels as of today (UTC): the run, and the task to start its workflow, in
 * one transaction. There is one at a time. When one is under way already it is answered instead, and
 * so is the one that `requestKey` has begun before, finished or not.
 */
export async function requestRescore(
  db: Db,
  request: { trigger: RescoreTrigger; requestKey?: string | undefined },
): Promise<RequestedRescore> {
  for (let tries = 1; ; tries += 1) {
    const requested = await db.transaction((tx) => requestIn(tx, request));
    if (requested) return requested;
    if (tries === TRIES) throw new Error('a rescore was in the way and is not there');
  }
}

/** The same for a person: `conflict`, naming the run under way, when there is one. */
export async function startRescore(db: Db): Promise<RescoreRun> {
  const { run, begun } = await requestRescore(db, { trigger: 'request' });
  if (!begun) throw conflict(`A rescore is running already: ${run.id}.`);
  return run;
}

async function requestIn(
  tx: Tx,
  { trigger, requestKey }: Parameters<typeof requestRescore>[1],
): Promise<RequestedRescore | undefined> {
  const before = await runOf(tx, requestKey);
  if (before) return { run: before, begun: false };
  const id = newId('rescore');
  const [run] = await tx
    .insert(rescoreRuns)
    .values({
      ...{ id, trigger, requestKey: requestKey ?? null, day: today() },
      parcelsExpected: sql`(select count(*) from ${parcels})`,
    })
    .onConflictDoNothing()
    .returning();
  if (!run) {
    const [running] = await tx.select().from(rescoreRuns).where(eq(rescoreRuns.state, 'running'));
    const other = running ?? (await runOf(tx, requestKey));
    return other && { run: other, begun: false };
  }
  const key = rescoreWorkflowId(id);
  await enqueue(tx, [{ key, task: 'rescore', accountId: NO_ACCOUNT, subjectId: id }]);
  return { run, begun: true };
}

async function runOf(tx: Tx, requestKey: string | undefined): Promise<RescoreRun | undefined> {
  if (requestKey === undefined) return undefined;
  const [run] = await tx.select().from(rescoreRuns).where(eq(rescoreRuns.requestKey, requestKey));
  return run;
}
