import { sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client.ts';
import { ID_PREFIXES, idFloor } from '../ids.ts';

/** How many rows a statement looks at; each is over in a fraction of a second. */
const BATCH = 1_000;

const EPOCH = new Date(0);

/** What a batch has removed, and where the next one begins; null when there is nothing left. */
export interface PurgedBatch {
  deliveries: number;
  events: number;
  next: string | null;
}

/**
 * One table that is purged by age. Its ids sort by age, so a range of the primary key finds what
 * may be old enough, and no index on a time is needed.
 */
interface Step {
  kind: 'delivery' | 'event' | 'replay' | 'mail';
  table: SQL;
  /** What a row `t` must be like to go, where `before` is the moment until which rows may be gone. */
  isOver(before: SQL): SQL;
  /** What goes with the rows of `batch`. */
  dependents?: SQL;
}

/** In this order: an event can go once its deliveries have. */
const STEPS: readonly [Step, ...Step[]] = [
  {
    kind: 'delivery',
    table: sql`deliveries`,
    // What is unfinished stays, however old.
    isOver: (before) => sql`t.finished_at is not null and t.created_at < ${before}`,
    dependents: sql`delete from attempts a using batch where a.delivery_id = batch.id`,
  },
  {
    kind: 'event',
    table: sql`events`,
    // As a scalar it is one look into an index for each event, whatever the planner believes of
    // deliveries; an event without any cannot get one, since those are copied from each other.
    isOver: (before) => sql`t.created_at < ${before}
      and (select d.id from deliveries d where d.event_id = t.id limit 1) is null`,
  },
  { kind: 'replay', table: sql`replays`, isOver: (before) => sql`t.finished_at < ${before}` },
  // One that nobody has taken in all that time is given up.
  { kind: 'mail', table: sql`mails`, isOver: (before) => sql`t.created_at < ${before}` },
];

const removed = z.object({
  removed: z.number(),
  seen: z.number(),
  last: z.string().nullable(),
});

/**
 * Makes what removes, one batch at a call, finished deliveries that were created longer ago than
 * the retention (milliseconds, spec §8: 30 days) with their attempts, events that no delivery
 * refers to any more, replays and mails that are over. The cursor is the id after which the next
 * batch begins, and its prefix says in which table. Any number may run at once: a row that another
 * one holds is passed over, and what was left stays for the next day.
 */
export function createPurgeBatch({ db, retentionMs }: { db: Db; retentionMs: number }) {
  return async ({ cursor }: { cursor: string | null }): Promise<PurgedBatch> => {
    const at = cursor === null ? 0 : STEPS.findIndex(({ kind }) => isOfKind(cursor, kind));
    const step = STEPS[at];
    if (!step) throw new Error(`No purge goes on from ${String(cursor)}.`);
    const batch = await removeBatch(db, retentionMs, step, cursor ?? idFloor(step.kind, EPOCH));
    const following = STEPS[at + 1];
    return {
      deliveries: step.kind === 'delivery' ? batch.removed : 0,
      events: step.kind === 'event' ? batch.removed : 0,
      next: batch.next ?? (following ? idFloor(following.kind, EPOCH) : null),
    };
  };
}

/**
 * The ids' times are of the clocks of those who made them, and ours: they only narrow the search.
 * What is old enough is decided by the database's clock alone.
 */
async function removeBatch(db: Db, retentionMs: number, step: Step, after: string) {
  const floor = idFloor(step.kind, new Date(Date.now() - retentionMs));
  const before = sql`now() - ${`${retentionMs} milliseconds`}::interval`;
  const dependents = step.dependents && sql`, dependents as (${step.dependents})`;
  const [row] = await db.execute(sql`
    with seen as materialized (
      select id from ${step.table} where id > ${after} and id < ${floor} order by id limit ${BATCH}
    ), batch as materialized (
      select t.id from ${step.table} t
      where t.id in (select id from seen) and ${step.isOver(before)}
      for update skip locked
    )${dependents}, gone as (
      delete from ${step.table} t using batch where t.id = batch.id returning t.id
    )
    select (select count(*)::int from gone) as removed, (select count(*)::int from seen) as seen,
           (select max(id) from seen) as last`);
  const batch = removed.parse(row);
  return { removed: batch.removed, next: batch.seen < BATCH ? null : batch.last };
}

function isOfKind(id: string, kind: Step['kind']): boolean {
  return id.startsWith(`${ID_PREFIXES[kind]}_`);
}
