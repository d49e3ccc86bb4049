import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import { z } from 'zod';
import { createGuardedClient } from './guarded-client.ts';

// They lie beside the source tree only: what is built is one folder further down.
const ROOT = import.meta.url.endsWith('.ts') ? '../..' : '../../..';
const MIGRATIONS = fileURLToPath(new URL(`${ROOT}/drizzle/migrations`, import.meta.url));

/** Any fixed number: it names the lock that all processes of this service migrate under. */
const MIGRATION_LOCK = 7_215_663_118;

const journal = z.object({ entries: z.array(z.object({ tag: z.string() })) });

/**
 * Brings the schema up to date. Processes that start together take turns under an advisory lock.
 * The number of migrations applied is checked afterwards, because Drizzle passes over one whose
 * timestamp is older than the last and reports success.
 */
export async function migrateDatabase(databaseUrl: string): Promise<{ applied: number }> {
  // One connection: the advisory lock belongs to the session that does the work.
  const client = createGuardedClient(databaseUrl, {
    max: 1,
    applicationName: 'lead-events migrate',
    // Waiting for the lock, or for a long migration, is not a fault.
    statementTimeoutMs: 0,
  });
  try {
    await client`select pg_advisory_lock(${MIGRATION_LOCK})`;
    const before = await countApplied();
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS });
    const after = await countApplied();
    const known = journal.parse(
      JSON.parse(await readFile(`${MIGRATIONS}/meta/_journal.json`, 'utf8')),
    );
    if (after < known.entries.length) {
      throw new Error(
        `Only ${after} of ${known.entries.length} migrations are applied: the journal is out of order.`,
      );
    }
    return { applied: after - before };
  } finally {
    await client.end({ timeout: 5 });
  }

  async function countApplied(): Promise<number> {
    const [table] = await client`select to_regclass('drizzle.__drizzle_migrations') as name`;
    if (table?.['name'] === null) return 0;
    const [row] = await client`select count(*)::int as count from drizzle.__drizzle_migrations`;
    return z.number().parse(row?.['count']);
  }
}
