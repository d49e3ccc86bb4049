import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client.ts';
import type { AttemptError } from '../domain/attempt-error.ts';
import { DELIVERY_STATES, type DeliveryState } from '../domain/delivery.ts';
import { OUTBOX_CHANNEL } from '../relay/outbox-channel.ts';

/** One attempt as the delivery log keeps it. */
export interface AttemptRecord {
  deliveryId: string;
  accountId: string;
  number: number;
  url: string;
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  error: AttemptError | null;
  redirectTarget: string | null;
  responseExcerpt: string | null;
}

/** What the attempt makes of its delivery. */
export type AfterAttempt =
  { state: 'delivered' | 'failed' } | { state: 'retrying'; retryInMs: number };

/** Whether this attempt begins or ends an episode of failures, and of which URL's time it is. */
export interface HealthEffect {
  effect: 'failure' | 'success' | 'none';
  /** The endpoint's `healthEra` when the attempt was made; an effect on a later one is void. */
  era: number;
}

const recorded = z.object({ state: z.enum(DELIVERY_STATES) });

/**
 * Writes an attempt and what follows from it in one statement, so that the log never shows one
 * without the other: the delivery's new state, and the beginning or the end of an episode of
 * failures at its endpoint, of which the health workflow is then told (spec §3.5). An attempt that
 * is recorded already, or whose delivery is finished, changes nothing; only of a delivery that was
 * ended while the attempt was in flight the attempt is still kept, and its success counts.
 *
 * Answers the delivery's state afterwards.
 */
export async function recordAttempt(
  db: Db,
  attempt: AttemptRecord,
  after: AfterAttempt,
  health: HealthEffect,
): Promise<DeliveryState> {
  const wait = after.state === 'retrying' ? `${after.retryInMs} milliseconds` : null;
  const delivered = after.state === 'delivered';
  const [row] = await db.execute(sql`
    with delivery as (
      update deliveries
      set attempts_made = ${attempt.number},
          state = case when ${delivered} or finished_at is null then ${after.state} else state end,
          skip_reason = case when ${delivered} then null else skip_reason end,
          next_attempt_at = case when finished_at is null then now() + ${wait}::interval end,
          expected_at = case when finished_at is null then now() + ${wait}::interval end,
          finished_at = coalesce(finished_at, case when ${wait}::text is null then now() end)
      where id = ${attempt.deliveryId} and attempts_made < ${attempt.number}
        and (finished_at is null or state = 'skipped')
      returning id, state, endpoint_id
    ), attempt as (
      insert into attempts (delivery_id, number, account_id, url, started_at, duration_ms,
                            status_code, error, redirect_target, response_excerpt)
      select id, ${attempt.number}, ${attempt.accountId}, ${attempt.url},
             ${attempt.startedAt.toISOString()}::timestamptz, ${Math.round(attempt.durationMs)},
             ${attempt.statusCode}::int, ${attempt.error}, ${attempt.redirectTarget},
             ${attempt.responseExcerpt}
      from delivery
    ), turned as (
      update endpoints e
      set failing_since = case when ${health.effect} = 'failure' then clock_timestamp() end,
          health_version = e.health_version + 1
      from delivery d
      where e.id = d.endpoint_id and e.state = 'active' and e.health_era = ${health.era}
        and case ${health.effect} when 'failure' then e.failing_since is null
                                  when 'success' then e.failing_since is not null
                                  else false end
      returning e.id, e.account_id
    ), told as (
      insert into outbox (key, task, account_id, subject_id)
      select 'health:' || id, 'health', account_id, id from turned
      on conflict (key) do update set generation = outbox.generation + 1, available_at = now()
      returning pg_notify(${OUTBOX_CHANNEL}, '')
    )
    select coalesce((select state from delivery),
                    (select state from deliveries where id = ${attempt.deliveryId})) as state,
           (select count(*) from told)`);
  return recorded.parse(row).state;
}
