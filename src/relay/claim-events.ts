import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client.ts';

const claimedEvents = z.array(
  z.object({
    eventId: z.string(),
    accountId: z.string(),
    type: z.string(),
    tries: z.number(),
    overdue: z.boolean(),
    branches: z.array(
      z.object({
        deliveryId: z.string(),
        endpointId: z.string(),
        attemptsMade: z.number(),
        waitMs: z.number(),
      }),
    ),
  }),
);

/** An event whose workflow is to be started, with its unfinished deliveries. */
export type ClaimedEvent = z.output<typeof claimedEvents>[number];

/**
 * Claims up to `limit` events for `leaseMs`. Relays side by side pass over each other's rows; a
 * relay that dies loses its claims when the lease ends. No lock is held afterwards.
 */
export async function claimEvents(db: Db, limit: number, leaseMs: number): Promise<ClaimedEvent[]> {
  const rows = await db.execute(sql`
    with free as (
      select event_id from outbox
      where available_at <= now()
      order by available_at
      limit ${limit}
      for update skip locked
    ), claimed as (
      update outbox o
      set available_at = now() + ${`${leaseMs} milliseconds`}::interval, tries = o.tries + 1
      from free
      where o.event_id = free.event_id
      returning o.event_id, o.tries, o.overdue
    )
    select
      c.event_id as "eventId", e.account_id as "accountId", e.type, c.tries, c.overdue,
      coalesce(json_agg(json_build_object(
        'deliveryId', d.id,
        'endpointId', d.endpoint_id,
        'attemptsMade', d.attempts_made,
        'waitMs', case when d.attempts_made = 0 then 0 else
          greatest(0, ceil(extract(epoch from d.next_attempt_at - now()) * 1000))::bigint end
      ) order by d.id) filter (where d.id is not null), '[]') as branches
    from claimed c
    join events e on e.id = c.event_id
    left join deliveries d on d.event_id = c.event_id and d.finished_at is null
    group by c.event_id, e.account_id, e.type, c.tries, c.overdue
    order by c.event_id`);
  return claimedEvents.parse(rows);
}
