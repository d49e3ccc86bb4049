import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { API_PLAN, planIncludes, PLANS, type Plan } from '../domain/plan.ts';
import { proRequired, rateLimited, unauthorized, type AppError } from '../errors.ts';
import { hashKey, isWellFormed } from './key-text.ts';

/** Requests let through for one key in any 60 seconds (spec §8). */
export const RATE_LIMIT = 120;
export const RATE_WINDOW_S = 60;

/** Whose request this is. */
export interface Caller {
  accountId: string;
  plan: Plan;
  keyId: string;
}

/** How a key stands with the rate limit. */
export interface Quota {
  limit: number;
  /** Requests that would be let through now. */
  remaining: number;
  /** Whole seconds, rounded up, until the oldest request counts no more; 0 when none counts. */
  resetS: number;
}

/** What came of a request's key. A refusal has a quota when the key itself is good. */
export type Authentication =
  { caller: Caller; quota: Quota } | { refusal: AppError; quota: Quota | undefined };

/**
 * A second look is rare, and each is owed to another request that was let through in between. So
 * many of them mean that a row contradicts itself, which must not keep the database busy.
 */
const MOST_LOOKS = 100;

const WINDOW = sql.raw(`interval '${RATE_WINDOW_S} seconds'`);
const LIMIT = sql.raw(String(RATE_LIMIT));

/** Plans whose accounts may use their keys. */
const ENTITLED = sql.raw(
  PLANS.filter((plan) => planIncludes(plan, API_PLAN))
    .map((plan) => `'${plan}'`)
    .join(', '),
);

/**
 * One statement, nothing cached: it finds the key, its account's plan and what the limit leaves, and
 * notes the request when that is let through.
 *
 * `recent` holds the moments, in order, of the last requests that were let through. The key is full
 * while the 120th from the end is less than 60 seconds old. Requests of one key take turns at the
 * row. One that waited finds a newer row than `seen`, and PostgreSQL (READ COMMITTED) works out the
 * WHERE and SET of the update anew with it; moments are of the clock, since now() would be from
 * before the wait, and never earlier than the last, so that a clock set back lets nobody pass.
 *
 * A key that is seen to be full is not written to, nor is its row waited for: newer rows can only be
 * fuller.
 */
function authenticating(hash: Buffer) {
  return sql`
    with seen as (
      select k.id, k.account_id, a.plan, k.recent
      from api_keys k join accounts a on a.id = k.account_id
      where k.hash = ${hash} and k.revoked_at is null
    ), noted as (
      update api_keys k
      set (recent, last_used_at) = (
        select array(select r from unnest(k.recent) r where r > at - ${WINDOW}) || at, at
        from (select greatest(clock_timestamp(), k.recent[cardinality(k.recent)]) as at) as one
      )
      from seen
      where k.id = seen.id and seen.plan in (${ENTITLED}) and k.revoked_at is null
        and coalesce(
          k.recent[cardinality(k.recent) - ${LIMIT} + 1] <= clock_timestamp() - ${WINDOW}, true)
      returning k.recent
    )
    select seen.id, seen.account_id, seen.plan, noted.recent is not null as noted,
      counted.used, counted.reset_s
    from seen left join noted on true, lateral (
      select count(*)::int as used,
        coalesce(ceil(extract(epoch from min(r + ${WINDOW} - at))), 0)::int as reset_s
      from (select clock_timestamp() as at) as one, unnest(coalesce(noted.recent, seen.recent)) r
      where r > at - ${WINDOW}
    ) as counted`;
}

interface Row extends Record<string, unknown> {
  id: string;
  account_id: string;
  plan: Plan;
  noted: boolean;
  used: number;
  reset_s: number;
}

/**
 * Decides on a request by the key that it shows, and counts it when it is let through (spec §5.1).
 * `unauthorized` for a text that is no key, a key that is unknown or one that is revoked;
 * `pro_required` while the account is on the Free plan, which does not count; `rate_limited` with
 * the seconds to wait when 120 requests have been let through in the last 60, which does not count
 * either.
 */
export async function authenticate(db: Db, key: string): Promise<Authentication> {
  if (!isWellFormed(key)) return { refusal: unauthorized(), quota: undefined };
  const statement = authenticating(hashKey(key));
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const [row] = await db.execute<Row>(statement);
    if (!row) return { refusal: unauthorized(), quota: undefined };
    const { id: keyId, account_id: accountId, plan } = row;
    const remaining = Math.max(0, RATE_LIMIT - row.used);
    const quota = { limit: RATE_LIMIT, remaining, resetS: row.reset_s };
    if (row.noted) return { caller: { accountId, plan, keyId }, quota };
    if (!planIncludes(plan, API_PLAN)) return { refusal: proRequired(), quota };
    if (remaining === 0) return { refusal: tooMany(quota), quota };
    // Not full when it was seen, but full or revoked when its turn came: look again.
  }
  throw new Error(`no decision about a key after ${MOST_LOOKS} looks`);
}

function tooMany({ limit, resetS }: Quota): AppError {
  const rule = `A key is limited to ${limit} requests in ${RATE_WINDOW_S} seconds`;
  return rateLimited(`${rule}; try again in ${resetS} s.`, resetS);
}
