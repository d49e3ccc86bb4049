import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client.ts';
import { DELIVERY_KINDS, ENDPOINT_STATES } from '../domain/delivery.ts';
import { OUTBOX_TASKS } from '../domain/outbox-task.ts';

const branch = z.object({
  deliveryId: z.string(),
  endpointId: z.string(),
  attemptsMade: z.number(),
  waitMs: z.number(),
  kind: z.enum(DELIVERY_KINDS),
  eventId: z.string().nullable(),
  eventType: z.string(),
});

const claimedTasks = z.array(
  z.object({
    key: z.string(),
    task: z.enum(OUTBOX_TASKS),
    accountId: z.string(),
    subjectId: z.string(),
    generation: z.number(),
    tries: z.number(),
    overdue: z.boolean(),
    /** The deliveries that it is about; those that are finished are left out, except for `wake`. */
    branches: z.array(branch),
    /** The endpoint that a `health` task is about, as it is now. */
    endpoint: z
      .object({
        version: z.number(),
        state: z.enum(ENDPOINT_STATES),
        failingSince: z.string().nullable(),
      })
      .nullable(),
    /** True when its account has at least as much waiting as could be taken. */
    more: z.boolean(),
  }),
);

/** Something that Temporal is to be told, with what has to be known for it. */
export type ClaimedTask = z.output<typeof claimedTasks>[number];

/** How much to take, for how long, and whose turn it is: the accounts after this one come first. */
export interface ClaimOptions {
  limit: number;
  leaseMs: number;
  after?: string | undefined;
}

const branchColumns = sql.raw(`json_build_object(
  'deliveryId', d.id, 'endpointId', d.endpoint_id, 'attemptsMade', d.attempts_made,
  'kind', d.kind, 'eventId', d.event_id, 'eventType', d.event_type,
  'waitMs', case when d.attempts_made = 0 then 0 else
    greatest(0, coalesce(ceil(extract(epoch from d.next_attempt_at - now()) * 1000), 0))::bigint end)`);

/**
 * Claims up to `limit` tasks for `leaseMs`. Accounts that have something to claim take turns, so that
 * one with a thousand events queued holds up no other. Relays side by side pass over each other's rows; a relay that dies
 * loses its claims when the lease ends. No lock is held afterwards.
 */
export async function claimTasks(
  db: Db,
  { limit, leaseMs, after = '' }: ClaimOptions,
): Promise<ClaimedTask[]> {
  const rows = await db.execute(sql`
    with recursive accounts as (
      (select account_id from outbox where available_at <= now() order by account_id limit 1)
      union all
      select (select o.account_id from outbox o
              where o.account_id > a.account_id and o.available_at <= now()
              order by o.account_id limit 1)
      from accounts a where a.account_id is not null
    ), turns as (
      select account_id,
             ceil(${limit}::numeric / greatest(1, count(*) over ()))::int as share
      from accounts where account_id is not null
      order by account_id <= ${after}, account_id
      limit ${limit}
    ), free as (
      select o.key, count(*) over (partition by t.account_id) >= t.share as more
      from turns t cross join lateral (
        select key from outbox
        where account_id = t.account_id and available_at <= now()
        order by available_at
        limit t.share
        for update skip locked
      ) o
    ), claimed as (
      update outbox o
      set available_at = now() + ${`${leaseMs} milliseconds`}::interval, tries = o.tries + 1
      from free
      where o.key = free.key
      returning o.key, o.task, o.account_id, o.subject_id, o.generation, o.tries, o.overdue,
                free.more
    )
    select
      c.key, c.task, c.account_id as "accountId", c.subject_id as "subjectId", c.generation,
      c.tries, c.overdue, c.more,
      coalesce(
        case
          when c.task = 'event' then
            (select json_agg(${branchColumns} order by d.id) from deliveries d
             where d.event_id = c.subject_id and d.kind = 'automatic' and d.finished_at is null)
          when c.task in ('delivery', 'wake') then
            (select json_agg(${branchColumns}) from deliveries d
             where d.id = c.subject_id and (d.finished_at is null or c.task = 'wake'))
        end, '[]') as branches,
      case when c.task = 'health' then
        (select json_build_object(
           'version', e.health_version, 'state', e.state,
           'failingSince', to_char(e.failing_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
         from endpoints e where e.id = c.subject_id)
      end as endpoint
    from claimed c
    order by c.account_id <= ${after}, c.account_id, c.key`);
  return claimedTasks.parse(rows);
}
