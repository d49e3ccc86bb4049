import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '../db/client.ts';
import { PLANS, type Plan } from '../domain/plan.ts';
import type { Standing } from './decide.ts';

/** Where an account stands before a batch, and what it may see. */
export type AccountStanding = Standing & { plan: Plan };

const standings = z.array(
  z.object({
    ...{ accountId: z.string(), plan: z.enum(PLANS) },
    ...{ enteredHotSent: z.number(), scoreUpdatedSent: z.number() },
    ...{ enteredHotEndpoints: z.number(), scoreUpdatedEndpoints: z.number() },
  }),
);

/** Where accounts stand in a run, whose row the transaction holds: nobody else counts meanwhile. */
export async function readStandings(
  tx: Tx,
  runId: string,
  accountIds: readonly string[],
): Promise<Map<string, AccountStanding>> {
  const endpoints = (type: string) => sql`
    (select count(*)::int from endpoints e
     where e.account_id = a.id and e.state = 'active' and ${type} = any (e.event_types))`;
  const rows = await tx.execute(sql`
    select a.id as "accountId", a.plan,
           coalesce(c.entered_hot_sent, 0) as "enteredHotSent",
           coalesce(c.score_updated_sent, 0) as "scoreUpdatedSent",
           ${endpoints('lead.entered_hot')} as "enteredHotEndpoints",
           ${endpoints('lead.score_updated')} as "scoreUpdatedEndpoints"
    from accounts a
      left join rescore_counts c on c.run_id = ${runId} and c.account_id = a.id
    where a.id = any (${sql.param(accountIds)}::text[])`);
  return new Map(standings.parse(rows).map(({ accountId, ...rest }) => [accountId, rest]));
}

const counted = z.object({ unfinished: z.number() });

/**
 * How many deliveries are unfinished, but no more than one above the threshold: that is all that
 * matters, and what it costs does not grow with the queue.
 */
export async function countUnfinished(tx: Tx, threshold: number): Promise<number> {
  const [row] = await tx.execute(sql`
    select count(*)::int as unfinished
    from (select from deliveries where finished_at is null
          order by expected_at limit ${threshold + 1}) d`);
  return counted.parse(row).unfinished;
}
