import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { inject } from 'vitest';
import { TEMPLATE_DATABASE } from '../global-setup.ts';

/** PostgreSQL's code for it. */
const PERMISSION_DENIED = '42501';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database of this test's own, cloned from the migrated template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = new URL(inject('databaseUrl'));
  await administer(`create database ${name} template ${TEMPLATE_DATABASE}`);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => dropDatabase(name) };
}

/** While autovacuum is at work in it, which is not ours to end, it cannot be dropped. */
async function dropDatabase(name: string): Promise<void> {
  const giveUpAt = Date.now() + 30_000;
  for (;;) {
    try {
      return await administer(`drop database if exists ${name} with (force)`);
    } catch (error) {
      const isDenied = (error as { code?: string }).code === PERMISSION_DENIED;
      if (!isDenied || Date.now() > giveUpAt) throw error;
      await delay(100);
    }
  }
}

/** Files that start together clone the template in turn: PostgreSQL refuses two at once. */
async function administer(statement: string): Promise<void> {
  const admin = postgres(inject('databaseUrl'), { max: 1, onnotice: () => undefined });
  try {
    await admin`select pg_advisory_lock(1)`;
    await admin.unsafe(statement);
  } finally {
    await admin.end();
  }
}
