import { sql } from 'drizzle-orm';
import { check, pgTable, text, unique, uniqueIndex } from 'drizzle-orm/pg-core';
import { PLANS } from '../../src/domain/plan.ts';
import { bytes, moment } from '../columns.ts';
import { now, oneOf } from './shared.ts';

export const accounts = pgTable(
  'accounts',
  {
    id: text().primaryKey(),
    email: text().notNull(),
    plan: text({ enum: PLANS }).notNull(),
    createdAt: moment().notNull().default(now),
  },
  (t) => [check('accounts_plan', oneOf(t.plan, PLANS))],
);

/** Keys of the Read API; of the key itself only a hash is kept (spec §5.1). */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    /** SHA-256 of the whole key. */
    hash: bytes().notNull(),
    /** The last four characters, by which people recognise it. */
    hint: text().notNull(),
    createdAt: moment().notNull().default(now),
    lastUsedAt: moment(),
    revokedAt: moment(),
    /** When the last requests were let through, the oldest first: what the rate limit looks at. */
    recent: moment()
      .array()
      .notNull()
      .default(sql`'{}'`),
  },
  (t) => [unique('api_keys_tenant').on(t.accountId, t.id), uniqueIndex('api_keys_hash').on(t.hash)],
);
