import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { OutboxTask } from '../domain/outbox-task.ts';
import { OUTBOX_CHANNEL } from './outbox-channel.ts';

/** Something that Temporal is to be told; see OUTBOX_TASKS. */
export interface Task {
  /** The id of the workflow. */
  key: string;
  task: OutboxTask;
  accountId: string;
  /** What it is about. */
  subjectId: string;
}

/**
 * Puts tasks into the queue, in the transaction of what they tell about, so that neither is ever
 * there without the other, and wakes the relays. A task that waits already is not doubled; one that
 * is under way will be told once more.
 */
export async function enqueue(db: Db, tasks: readonly Task[]): Promise<void> {
  if (tasks.length === 0) return;
  const rows = JSON.stringify(
    tasks.map(({ key, task, accountId, subjectId }) => ({
      ...{ key, task, account_id: accountId, subject_id: subjectId },
    })),
  );
  await db.execute(sql`
    with queued as (
      insert into outbox (key, task, account_id, subject_id)
      select key, task, account_id, subject_id
      from json_to_recordset(${rows}::json)
        as t (key text, task text, account_id text, subject_id text)
      on conflict (key) do update
        set generation = outbox.generation + 1, available_at = now()
    )
    select pg_notify(${OUTBOX_CHANNEL}, '')`);
}
