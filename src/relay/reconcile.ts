import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { PausePolicy } from '../domain/health.ts';
import { NO_ACCOUNT } from '../domain/outbox-task.ts';

/** How long past the time that something should have happened it counts as overdue. */
export const OVERDUE_AFTER_MS = 60_000;

const BATCH = 500;

/**
 * Puts back into the queue what should have moved on a while ago: its workflow was lost, with
 * Temporal's data or in a start that never arrived, or it is only late. Starting a workflow that
 * runs does nothing, so asking too often costs a call and asking once is enough. Answers how much
 * was overdue.
 */
export async function requeueOverdue(
  db: Db,
  policy: PausePolicy,
  overdueAfterMs = OVERDUE_AFTER_MS,
): Promise<number> {
  const deliveries = await requeueDeliveries(db, overdueAfterMs);
  const mails = await requeueMails(db, overdueAfterMs);
  await requeueReplays(db, overdueAfterMs);
  await requeueSkipTraces(db, overdueAfterMs);
  const campaigns = await requeueCampaigns(db, overdueAfterMs);
  await requeueRescore(db, overdueAfterMs);
  const endpoints = await requeueEndpoints(db, policy, overdueAfterMs);
  return deliveries + mails + campaigns + endpoints;
}

async function requeueDeliveries(db: Db, overdueAfterMs: number): Promise<number> {
  let total = 0;
  for (;;) {
    const rows = await db.execute(sql`
      with late as (
        select id from deliveries
        where finished_at is null and expected_at < now() - ${milliseconds(overdueAfterMs)}
        order by expected_at
        limit ${BATCH}
        for update skip locked
      ), noted as (
        update deliveries d
        set expected_at = now() + ${milliseconds(4 * overdueAfterMs)}
        from late
        where d.id = late.id
        returning d.id, d.kind, d.account_id, d.event_id, d.endpoint_id
      ), queued as (
        insert into outbox (key, task, account_id, subject_id, overdue)
        select distinct
          case kind when 'automatic' then 'delivery:' || event_id
                    when 'last_attempt' then 'health:' || endpoint_id
                    else kind || ':' || id end,
          case kind when 'automatic' then 'event' when 'last_attempt' then 'health'
                    else 'delivery' end,
          account_id,
          case kind when 'automatic' then event_id when 'last_attempt' then endpoint_id
                    else id end,
          true
        from noted
        on conflict (key) do nothing
      )
      select id from noted`);
    total += rows.length;
    if (rows.length < BATCH) return total;
  }
}

async function requeueMails(db: Db, overdueAfterMs: number): Promise<number> {
  const rows = await db.execute(sql`
    with late as (
      update mails set expected_at = now() + ${milliseconds(4 * overdueAfterMs)}
      where id in (
        select id from mails
        where sent_at is null and expected_at < now() - ${milliseconds(overdueAfterMs)}
        limit ${BATCH} for update skip locked)
      returning id, account_id
    )
    insert into outbox (key, task, account_id, subject_id, overdue)
    select 'mail:' || id, 'mail', account_id, id, true from late
    on conflict (key) do nothing
    returning key`);
  return rows.length;
}

/** There is one at most for an endpoint, and few at a time: all are asked after. */
async function requeueReplays(db: Db, overdueAfterMs: number): Promise<void> {
  await db.execute(sql`
    insert into outbox (key, task, account_id, subject_id, overdue)
    select 'replay:' || id, 'replay', account_id, id, true from replays
    where finished_at is null and created_at < now() - ${milliseconds(overdueAfterMs)}
    on conflict (key) do nothing`);
}

/** Batches that were paid for a while ago and are not done: all are asked after, as replays are. */
async function requeueSkipTraces(db: Db, overdueAfterMs: number): Promise<void> {
  await db.execute(sql`
    insert into outbox (key, task, account_id, subject_id, overdue)
    select distinct 'skiptrace:' || batch_id, 'skip_trace', account_id, batch_id, true from orders
    where status = 'PAID' and service = 'SKIP_TRACE'
      and paid_at < now() - ${milliseconds(overdueAfterMs)}
    on conflict (key) do nothing`);
}

/** Campaigns whose next step should have come by now. */
async function requeueCampaigns(db: Db, overdueAfterMs: number): Promise<number> {
  const rows = await db.execute(sql`
    insert into outbox (key, task, account_id, subject_id, overdue)
    select 'postcards:' || id, 'postcards', account_id, id, true from campaigns
    where due_at < now() - ${milliseconds(overdueAfterMs)}
    on conflict (key) do nothing
    returning key`);
  return rows.length;
}

/** There is one at most; it is asked after when it has not got on for a while. */
async function requeueRescore(db: Db, overdueAfterMs: number): Promise<void> {
  await db.execute(sql`
    insert into outbox (key, task, account_id, subject_id, overdue)
    select 'rescore:' || id, 'rescore', ${NO_ACCOUNT}, id, true from rescore_runs
    where state = 'running' and progressed_at < now() - ${milliseconds(overdueAfterMs)}
    on conflict (key) do nothing`);
}

/** Endpoints whose owner should have been warned by now and was not, or that should be paused. */
async function requeueEndpoints(
  db: Db,
  { pauseAfterMs, warnBeforeMs }: PausePolicy,
  overdueAfterMs: number,
): Promise<number> {
  const rows = await db.execute(sql`
    insert into outbox (key, task, account_id, subject_id, overdue)
    select 'health:' || id, 'health', account_id, id, true from endpoints e
    where state = 'active' and failing_since is not null
      and failing_since < now() - ${milliseconds(pauseAfterMs - warnBeforeMs + overdueAfterMs)}
      and (failing_since < now() - ${milliseconds(pauseAfterMs + overdueAfterMs)}
           or not exists (
             select from mails
             where about = 'warning:' || e.id || ':' || to_char(
               e.failing_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')))
    on conflict (key) do nothing
    returning key`);
  return rows.length;
}

/** For when Temporal's data was lost: every endpoint gets its health workflow back. */
export async function requeueAllHealth(db: Db): Promise<void> {
  await db.execute(sql`
    insert into outbox (key, task, account_id, subject_id)
    select 'health:' || id, 'health', account_id, id from endpoints where state <> 'deleted'
    on conflict (key) do nothing`);
}

function milliseconds(count: number) {
  return sql`${`${count} milliseconds`}::interval`;
}
