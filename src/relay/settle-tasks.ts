import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';

/** A task as it was when it was claimed. */
export interface ClaimedVersion {
  key: string;
  generation: number;
}

/** Takes tasks out of the queue that Temporal knows of, unless there is something newer to tell. */
export async function removeTold(db: Db, tasks: readonly ClaimedVersion[]): Promise<void> {
  await db.execute(sql`
    delete from outbox o
    using unnest(${sql.param(tasks.map(({ key }) => key))}::text[],
                 ${sql.param(tasks.map(({ generation }) => generation))}::int[]) as t (key, generation)
    where o.key = t.key and o.generation = t.generation`);
}

/** Gives a task back, to be claimed again after a wait. */
export async function releaseTask(
  db: Db,
  task: ClaimedVersion,
  waitMs: number,
  error: string,
): Promise<void> {
  await db.execute(sql`
    update outbox
    set available_at = now() + ${`${waitMs} milliseconds`}::interval,
        last_error = ${error.slice(0, 500)}
    where key = ${task.key} and generation = ${task.generation}`);
}
