import { sql, type SQL } from 'drizzle-orm';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Db } from '../../src/db/client.ts';

/** What there always is when something is under way. */
const UNDER_WAY = {
  deliveries: sql`select from deliveries where finished_at is null`,
  tasks: sql`select from outbox`,
  mails: sql`select from mails where sent_at is null`,
};

/** Endpoints that fail and have yet to be paused. */
export const FAILING = sql`
  select from endpoints where state = 'active' and failing_since is not null`;

/** Orders, campaigns and rescores that have yet to come to their end, and replays. */
export const ACTIONS_UNDER_WAY = {
  traces: sql`select from orders where service = 'SKIP_TRACE' and status = 'PAID'`,
  campaigns: sql`select from campaigns where due_at is not null`,
  rescores: sql`select from rescore_runs where finished_at is null`,
  replays: sql`select from replays where finished_at is null`,
};

/** Waits until nothing is under way any more, nor what these queries find. */
export async function quiet(
  db: Db,
  timeout: number,
  more: Readonly<Record<string, SQL>> = {},
): Promise<void> {
  const queries = Object.entries({ ...UNDER_WAY, ...more });
  const left = async () => {
    const counts = queries.map(
      ([name, query]) => sql`${name}::text, (select count(*) from (${query}) q)`,
    );
    const [row] = await db.execute(
      sql`select json_build_object(${sql.join(counts, sql`, `)}) as n`,
    );
    return z.object({ n: z.record(z.string(), z.number()) }).parse(row).n;
  };
  await expect
    .poll(left, { timeout, interval: 250 })
    .toEqual(Object.fromEntries(queries.map(([name]) => [name, 0])));
}
