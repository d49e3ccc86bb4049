import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { TEMPLATE_DATABASE } from '../global-setup.ts';

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
  return { url: url.href, drop: () => administer(`drop database if exists ${name} with (force)`) };
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
