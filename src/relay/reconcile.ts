import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';

/** How long past the time that something should have happened a delivery counts as overdue. */
export const OVERDUE_AFTER_MS = 60_000;

const BATCH = 500;

/**
 * Puts events back into the queue whose deliveries should have moved on a while ago: the workflow
 * was lost, with Temporal's data or in a start that never arrived, or it is only late. Starting a
 * workflow that runs does nothing, so asking too often costs a call and asking once is enough.
 * Answers how many deliveries were overdue.
 */
export async function requeueOverdue(db: Db, overdueAfterMs = OVERDUE_AFTER_MS): Promise<number> {
  let total = 0;
  for (;;) {
    const rows = await db.execute(sql`
      with late as (
        select id from deliveries
        where finished_at is null
          and expected_at < now() - ${`${overdueAfterMs} milliseconds`}::interval
        order by expected_at
        limit ${BATCH}
        for update skip locked
      ), noted as (
        update deliveries d
        set expected_at = now() + ${`${4 * overdueAfterMs} milliseconds`}::interval
        from late
        where d.id = late.id
        returning d.event_id
      ), queued as (
        insert into outbox (event_id, overdue)
        select distinct event_id, true from noted
        on conflict (event_id) do nothing
      )
      select event_id from noted`);
    total += rows.length;
    if (rows.length < BATCH) return total;
  }
}
