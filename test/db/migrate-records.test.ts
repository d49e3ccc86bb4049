import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/* A database with records in it gets the rules that were made later. */
const MIGRATIONS = join(import.meta.dirname, '../../drizzle/migrations');

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'lead-events-migrations-'));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Makes the schema as it was before a migration. */
async function migrateUpTo(sql: postgres.Sql, name: string): Promise<void> {
  await sql`drop schema public cascade`;
  await sql`drop schema drizzle cascade`;
  await sql`create schema public`;
  await cp(MIGRATIONS, folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: { tag: string }[] };
  const end = journal.entries.findIndex(({ tag }) => tag.endsWith(name));
  expect(end).toBeGreaterThan(0);
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }));
  await migrate(drizzle(sql), { migrationsFolder: folder });
}

test('a deal with a day but nothing to do keeps the day', async () => {
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  try {
    await migrateUpTo(sql, '_deal_life');
    await sql`insert into accounts (id, email, plan) values ('acct_1', 'a@example.com', 'pro')`;
    await sql`
      insert into parcels (id, county, account_num, address, city, zip, scored_on)
      values ('maple:1', 'maple', '1', '1 Elm St', 'Millbrook', '75010', '2026-01-01')`;
    await sql`
      insert into deals (id, account_id, parcel_id, status, next_action, next_action_due)
      values ('deal_1', 'acct_1', 'maple:1', 'NEW', null, '2026-03-01'),
             ('deal_2', 'acct_1', 'maple:1', 'NEW', 'Call', '2026-03-02'),
             ('deal_3', 'acct_1', 'maple:1', 'NEW', null, null)`;
    expect((await migrateDatabase(database.url)).applied).toBeGreaterThan(0);
    const rows = await sql`
      select next_action as action, next_action_due::text as due from deals order by id`;
    expect([...rows]).toEqual([
      { action: 'Follow up', due: '2026-03-01' },
      { action: 'Call', due: '2026-03-02' },
      { action: null, due: null },
    ]);
  } finally {
    await sql.end();
  }
});

test('a campaign that was mailed by hand counts as submitted when it was mailed', async () => {
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  try {
    await migrateUpTo(sql, '_campaign_submitted');
    await sql`insert into accounts (id, email, plan) values ('acct_1', 'a@example.com', 'pro')`;
    await sql`insert into lists (id, account_id, name) values ('list_1', 'acct_1', 'Owners')`;
    await sql`
      insert into campaigns (id, account_id, name, list_id, state, submitted_at, mailed_at)
      values ('cmp_1', 'acct_1', 'A', 'list_1', 'draft', null, null),
             ('cmp_2', 'acct_1', 'B', 'list_1', 'production', null, null),
             ('cmp_3', 'acct_1', 'C', 'list_1', 'mailed', null, '2026-03-02T00:00:00Z'),
             ('cmp_4', 'acct_1', 'D', 'list_1', 'delivered_est', '2026-03-01T00:00:00Z',
              '2026-03-02T00:00:00Z')`;
    expect((await migrateDatabase(database.url)).applied).toBeGreaterThan(0);
    const rows = await sql<{ day: string | null }[]>`
      select (submitted_at at time zone 'UTC')::date::text as day from campaigns order by id`;
    expect(rows.map(({ day }) => day)).toEqual([null, null, '2026-03-02', '2026-03-01']);
  } finally {
    await sql.end();
  }
});
