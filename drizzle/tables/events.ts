import { pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { bytes, moment } from '../columns.ts';
import { accounts } from './accounts.ts';

/** The newest event of each subject: its row lock puts a subject's events in order. */
export const eventSubjects = pgTable(
  'event_subjects',
  {
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    subject: text().notNull(),
    lastEventAt: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.subject] })],
);

/** Append-only: what happened, with the exact bytes that every attempt sends. */
export const events = pgTable(
  'events',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    type: text().notNull(),
    subject: text().notNull(),
    createdAt: moment().notNull(),
    body: bytes().notNull(),
  },
  (t) => [
    unique('events_tenant').on(t.accountId, t.id),
    unique('events_subject_order').on(t.accountId, t.subject, t.createdAt),
  ],
);
