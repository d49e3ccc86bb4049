import type { ExtractTablesWithRelations } from 'drizzle-orm';
import type { PgDatabase, PgTransaction } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import type { Sql } from 'postgres';
import * as schema from '../../drizzle/schema.ts';
import { createGuardedClient } from './guarded-client.ts';

type Schema = typeof schema;

/** A handle for queries: the database itself or a transaction in it. */
export type Db = PgDatabase<PostgresJsQueryResultHKT, Schema>;

/** An open transaction: what has to happen together is written through one of these. */
export type Tx = PgTransaction<
  PostgresJsQueryResultHKT,
  Schema,
  ExtractTablesWithRelations<Schema>
>;

export interface Database {
  url: string;
  db: Db;
  /** The guarded driver underneath. */
  sql: Sql;
  close(): Promise<void>;
}

/** Opens a pool of guarded connections; none is made before the first query. */
export function openDatabase(url: string, options: { max: number; name: string }): Database {
  const sql = createGuardedClient(url, { max: options.max, applicationName: options.name });
  return {
    url,
    db: drizzle(sql, { schema, casing: 'snake_case' }),
    sql,
    close: () => sql.end({ timeout: 5 }),
  };
}
