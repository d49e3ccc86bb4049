import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { API_PLAN, planIncludes, PLANS, type Plan } from '../domain/plan.ts';
import { RATE_LIMIT, RATE_WINDOW_S } from './authentication.ts';

const WINDOW = sql.raw(`interval '${RATE_WINDOW_S} seconds'`);
const LIMIT = sql.raw(String(RATE_LIMIT));

/** Plans whose accounts may use their keys. */
const ENTITLED = sql.raw(
  PLANS.filter((plan) => planIncludes(plan, API_PLAN))
    .map((plan) => `'${plan}'`)
    .join(', '),
);

/** How a key stands after its requests have been noted. */
export interface NotedKey extends Record<string, unknown> {
  /** The hash that it was asked for by, in hexadecimal. */
  hash: string;
  id: string;
  accountId: string;
  plan: Plan;
  /** How many of its requests are let through; null when its row was not looked at in its turn. */
  noted: number | null;
  /** Requests that count now, these included. */
  used: number;
  /** Whole seconds until the oldest of them counts no more. */
  resetS: number;
}

/**
 * One statement, nothing cached: it finds the keys with these hashes (so many requests each), their
 * accounts' plans and what the limit leaves, and notes the requests that are let through. A key that
 * is unknown or revoked has no row in the answer.
 *
 * `recent` holds the moments, in order, of the last requests that were let through. A key is full
 * while the 120th from the end is less than 60 seconds old. Requests of one key take turns at its
 * row, and those for several keys wait for them in the order of ids, so that no two wait for each
 * other. Who gets a turn finds the row as the one before left it; the moment is of the clock after
 * the wait, and never earlier than the last, so that a clock set back lets nobody pass.
 *
 * A key that is seen to be full is not written to, nor is its row waited for: newer rows can only be
 * fuller.
 *
 * The arrays are subselects so that their lengths are not planned for: PostgreSQL would plan the
 * statement anew each time, which takes longer than carrying it out.
 */
export async function noteRequests(
  db: Db,
  requests: ReadonlyMap<string, number>,
): Promise<NotedKey[]> {
  const [hashes, counts] = [[...requests.keys()], [...requests.values()]];
  return db.execute<NotedKey>(sql`
    with seen as (
      select k.id, k.account_id, k.hash, a.plan, k.recent, asked.count
      from unnest((select ${sql.param(hashes)}::text[]), (select ${sql.param(counts)}::int[]))
        as asked (hash, count)
      join api_keys k on k.hash = decode(asked.hash, 'hex') and k.revoked_at is null
      join accounts a on a.id = k.account_id
    ), locked as materialized (
      select k.id, k.recent, seen.count
      from seen join api_keys k on k.id = seen.id
      where seen.plan in (${ENTITLED}) and k.revoked_at is null
        and coalesce(
          seen.recent[cardinality(seen.recent) - ${LIMIT} + 1] <= clock_timestamp() - ${WINDOW},
          true)
      order by k.id
      for no key update of k
    ), noted as (
      update api_keys k
      set recent = new.kept || array_fill(new.at, array[new.count]), last_used_at = new.at
      from locked, lateral (
        select at, kept, least(locked.count, ${LIMIT} - cardinality(kept)) as count
        from (
          select at, array(select r from unnest(locked.recent) r where r > at - ${WINDOW}) as kept
          from (
            select greatest(clock_timestamp(), locked.recent[cardinality(locked.recent)]) as at
            offset 0 -- worked out once
          ) as one
          offset 0
        ) as two
      ) as new
      where k.id = locked.id and new.count > 0
      returning k.id, k.recent, new.count
    )
    select encode(seen.hash, 'hex') as hash, seen.id, seen.account_id as "accountId", seen.plan,
      case when locked.id is not null then coalesce(noted.count, 0) end as noted,
      counted.used, counted.reset_s as "resetS"
    from seen left join locked on locked.id = seen.id left join noted on noted.id = seen.id,
    lateral (
      select count(*)::int as used,
        coalesce(ceil(extract(epoch from min(r + ${WINDOW} - at))), 0)::int as reset_s
      from (select clock_timestamp() as at offset 0) as one,
        unnest(coalesce(noted.recent, locked.recent, seen.recent)) r
      where r > at - ${WINDOW}
    ) as counted`);
}
