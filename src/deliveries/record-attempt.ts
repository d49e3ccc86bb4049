import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client.ts';
import type { AttemptError } from '../domain/attempt-error.ts';
import { DELIVERY_STATES, type DeliveryState } from '../domain/delivery.ts';

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

const recorded = z.object({ state: z.enum(DELIVERY_STATES) });

/**
 * Writes an attempt and what follows from it in one statement: the log never shows one without the
 * other. An attempt that is recorded already, or whose delivery is finished, changes nothing.
 * Answers the delivery's state afterwards.
 */
export async function recordAttempt(
  db: Db,
  attempt: AttemptRecord,
  after: AfterAttempt,
): Promise<DeliveryState> {
  const wait = after.state === 'retrying' ? `${after.retryInMs} milliseconds` : null;
  const [row] = await db.execute(sql`
    with delivery as (
      update deliveries
      set state = ${after.state},
          attempts_made = ${attempt.number},
          next_attempt_at = now() + ${wait}::interval,
          expected_at = now() + ${wait}::interval,
          finished_at = case when ${wait}::text is null then now() end
      where id = ${attempt.deliveryId} and finished_at is null and attempts_made < ${attempt.number}
      returning id, state
    ), attempt as (
      insert into attempts (delivery_id, number, account_id, url, started_at, duration_ms,
                            status_code, error, redirect_target, response_excerpt)
      select id, ${attempt.number}, ${attempt.accountId}, ${attempt.url},
             ${attempt.startedAt.toISOString()}::timestamptz, ${Math.round(attempt.durationMs)},
             ${attempt.statusCode}::int, ${attempt.error}, ${attempt.redirectTarget},
             ${attempt.responseExcerpt}
      from delivery
    )
    select coalesce((select state from delivery),
                    (select state from deliveries where id = ${attempt.deliveryId})) as state`);
  return recorded.parse(row).state;
}
