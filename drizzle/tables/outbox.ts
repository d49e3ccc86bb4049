import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { OUTBOX_TASKS } from '../../src/domain/outbox-task.ts';
import { moment } from '../columns.ts';
import { now, oneOf } from './shared.ts';
import { accounts } from './accounts.ts';

/** What Temporal has still to be told: a small queue beside the records. */
export const outbox = pgTable(
  'outbox',
  {
    /** The workflow's id; for `wake`, which has no workflow of its own, `wake:<delivery id>`. */
    key: text().primaryKey(),
    task: text({ enum: OUTBOX_TASKS }).notNull(),
    /** NO_ACCOUNT for a rescore. */
    accountId: text().notNull(),
    /** The event, delivery, endpoint, replay, mail or rescore run that it is about. */
    subjectId: text().notNull(),
    /** Free to be claimed from then on: a claim moves it ahead by the lease, a failure by a wait. */
    availableAt: moment().notNull().default(now),
    tries: integer().notNull().default(0),
    /** Rises when there is something new to tell while the last telling is under way. */
    generation: integer().notNull().default(0),
    /** True when the reconciler put it here because something was overdue. */
    overdue: boolean().notNull().default(false),
    lastError: text(),
  },
  (t) => [
    // Accounts take turns.
    index('outbox_available').on(t.accountId, t.availableAt),
    check('outbox_task', oneOf(t.task, OUTBOX_TASKS)),
  ],
);

/** Mails to account owners, written in the transaction of what they tell about. */
export const mails = pgTable(
  'mails',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    /** What happened, once: a second mail about the same thing cannot be stored. */
    about: text().notNull(),
    recipient: text().notNull(),
    subject: text().notNull(),
    body: text().notNull(),
    createdAt: moment().notNull().default(now),
    /** When it should have gone at the latest, for the reconciler; null once it has. */
    expectedAt: moment().default(now),
    sentAt: moment(),
  },
  (t) => [
    uniqueIndex('mails_about').on(t.about),
    index('mails_unsent')
      .on(t.expectedAt)
      .where(sql`${t.sentAt} is null`),
    check('mails_sent', sql`(${t.sentAt} is null) = (${t.expectedAt} is not null)`),
  ],
);
