import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client.ts';
import { attemptResult } from '../domain/attempt-result.ts';
import type { Episode } from './episode.ts';

const facts = z.object({
  failed: z.number(),
  lastError: z.string().nullable(),
  lastStatusCode: z.number().nullable(),
});

/**
 * What an owner wants to know of an episode: how many events it did not get since it
 * began, and what the last attempt came to. Nothing has succeeded meanwhile, or it would be over.
 */
export async function episodeFacts(
  db: Db,
  { endpointId, failingSince }: Episode,
): Promise<{ failed: number; lastResult: string }> {
  const [row] = await db.execute(sql`
    with tried as (
      select d.event_id, a.started_at, a.error, a.status_code
      from deliveries d join attempts a on a.delivery_id = d.id and a.number = d.attempts_made
      where d.endpoint_id = ${endpointId} and d.kind <> 'test' and d.state <> 'delivered'
        -- Of the endpoint's log only the part that matters: retries are over within hours.
        and d.created_at >= ${failingSince}::timestamptz - interval '2 days'
        and (d.finished_at is null or d.finished_at >= ${failingSince})
    ), newest as (select * from tried order by started_at desc limit 1)
    select (select count(distinct event_id)::int from tried) as failed,
           (select error from newest) as "lastError",
           (select status_code from newest) as "lastStatusCode"`);
  const { failed, lastError, lastStatusCode } = facts.parse(row);
  return { failed, lastResult: attemptResult(lastError, lastStatusCode) ?? 'unknown' };
}
