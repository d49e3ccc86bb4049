import type { Sql } from 'postgres';
import { z } from 'zod';

const count = z.number().int().nonnegative();

const recordCounts = z.object({
  outbox: z.record(z.string(), count),
  outboxRefused: count,
  outboxOldestSeconds: z.number().nonnegative(),
  unfinished: z.record(z.string(), count),
  overdue: count,
  endpoints: z.record(z.string(), count),
  mailsUnsent: count,
  replaysRunning: count,
  skipTracesWaiting: count,
  skipTraceOldestSeconds: z.number().nonnegative(),
  campaignsOverdue: count,
  /** The newest rescore; null when there has been none. */
  rescore: z
    .object({
      running: z.boolean(),
      startedAt: z.number(),
      parcels: count,
      parcelsExpected: count,
      changed: count,
      events: count,
      heldBack: count,
    })
    .nullable(),
});

/** How the records stand, by task, state or health where there are several. */
export type RecordCounts = z.output<typeof recordCounts>;

/**
 * One statement for all of them. Of the tables that grow for ever it reads only what is unfinished,
 * by the partial indexes on just that; the outbox and the endpoints are small and are read whole.
 */
export const COUNT_STATEMENT = `
  select
    (select coalesce(json_object_agg(task, rows), '{}') from (
       select task, count(*) as rows from outbox group by task) o) as "outbox",
    (select count(*)::int from outbox where last_error is not null) as "outboxRefused",
    (select greatest(0, coalesce(extract(epoch from clock_timestamp() - min(available_at)), 0))::float8
       from outbox) as "outboxOldestSeconds",
    (select coalesce(json_object_agg(state, rows), '{}') from (
       select state, count(*) as rows from deliveries
       where finished_at is null group by state) d) as "unfinished",
    (select count(*)::int from deliveries
       where finished_at is null and expected_at < now() - interval '1 minute') as "overdue",
    (select coalesce(json_object_agg(health, rows), '{}') from (
       select case when state <> 'active' then state when failing_since is null then 'healthy'
              else 'failing' end as health, count(*) as rows
       from endpoints where state <> 'deleted' group by health) e) as "endpoints",
    (select count(*)::int from mails where sent_at is null) as "mailsUnsent",
    (select count(*)::int from replays where finished_at is null) as "replaysRunning",
    (select count(*)::int from orders
       where status = 'PAID' and service = 'SKIP_TRACE') as "skipTracesWaiting",
    (select greatest(0, coalesce(extract(epoch from clock_timestamp() - min(paid_at)), 0))::float8
       from orders where status = 'PAID' and service = 'SKIP_TRACE') as "skipTraceOldestSeconds",
    (select count(*)::int from campaigns
       where due_at < now() - interval '1 minute') as "campaignsOverdue",
    (select json_build_object(
       'running', state = 'running', 'startedAt', extract(epoch from started_at),
       'parcels', parcels, 'parcelsExpected', parcels_expected, 'changed', changed,
       'events', events, 'heldBack', held_back)
     from rescore_runs order by id desc limit 1) as "rescore"`;

export async function readRecordCounts(sql: Sql): Promise<RecordCounts> {
  const [row] = await sql.unsafe(COUNT_STATEMENT);
  return recordCounts.parse(row);
}
