import { drizzle } from 'drizzle-orm/postgres-js';
import * as schema from '../../drizzle/schema.ts';
import type { Database, Db } from '../../src/db/client.ts';

/** The plan of the last statement that a call sends which matches, as PostgreSQL carries it out. */
export async function explain(
  { sql }: Database,
  call: (db: Db) => Promise<unknown>,
  matching = /./,
): Promise<string> {
  let sent: { query: string; params: unknown[] } | undefined;
  const logQuery = (query: string, params: unknown[]): void => {
    if (matching.test(query)) sent = { query, params };
  };
  await call(drizzle(sql, { schema, casing: 'snake_case', logger: { logQuery } }));
  if (!sent) throw new Error('no such statement was sent');
  const { query, params } = sent;
  const lines = await sql.unsafe<{ 'QUERY PLAN': string }[]>(
    `explain (analyze, buffers) ${query}`,
    params as string[],
  );
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}
