import { sql } from 'drizzle-orm';
import {
  check,
  date,
  foreignKey,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { RESCORE_STATES, RESCORE_TRIGGERS, WATCH_KINDS } from '../../src/domain/rescore.ts';
import { moment } from '../columns.ts';
import { now, oneOf } from './shared.ts';
import { accounts } from './accounts.ts';

/** One rescore of all parcels, and how far it is. */
export const rescoreRuns = pgTable(
  'rescore_runs',
  {
    id: text().primaryKey(),
    trigger: text({ enum: RESCORE_TRIGGERS }).notNull(),
    /** What asked for it, when that may ask again for the same one. */
    requestKey: text(),
    state: text({ enum: RESCORE_STATES }).notNull().default('running'),
    /** The day (UTC) that parcels are scored as of. */
    day: date({ mode: 'string' }).notNull(),
    /** How many parcels there were at its start. */
    parcelsExpected: integer().notNull(),
    /** The last parcel that was scored: the only truth about how far it is. */
    cursor: text(),
    parcels: integer().notNull().default(0),
    /** Of these, how many had another score than the one made known last. */
    changed: integer().notNull().default(0),
    /** Events about leads, without summaries. */
    events: integer().notNull().default(0),
    /** What would have been an event and is only counted. */
    heldBack: integer().notNull().default(0),
    summaries: integer().notNull().default(0),
    startedAt: moment().notNull().default(now),
    /** When it last got on, for the reconciler. */
    progressedAt: moment().notNull().default(now),
    /** When the last parcel was scored; from then on only summaries are left. */
    scoredAt: moment(),
    finishedAt: moment(),
  },
  (t) => [
    uniqueIndex('rescore_runs_one_running')
      .on(t.state)
      .where(sql`${t.state} = 'running'`),
    uniqueIndex('rescore_runs_request').on(t.requestKey),
    check('rescore_runs_trigger', oneOf(t.trigger, RESCORE_TRIGGERS)),
    check(
      'rescore_runs_state',
      sql`${oneOf(t.state, RESCORE_STATES)} and (${t.state} = 'running') = (${t.finishedAt} is null) and (${t.finishedAt} is null or ${t.scoredAt} is not null)`,
    ),
  ],
);

/** What a rescore came to for an account that any change concerned. */
export const rescoreCounts = pgTable(
  'rescore_counts',
  {
    runId: text()
      .notNull()
      .references(() => rescoreRuns.id),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    enteredHotTotal: integer().notNull().default(0),
    enteredHotSent: integer().notNull().default(0),
    scoreUpdatedTotal: integer().notNull().default(0),
    scoreUpdatedSent: integer().notNull().default(0),
    /** Changes of either type that were only counted, by what held them back. */
    heldByCap: integer().notNull().default(0),
    heldByBacklog: integer().notNull().default(0),
    summarisedAt: moment(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.accountId] }),
    // Nothing is lost and nothing is counted twice, whatever the code does.
    check(
      'rescore_counts_exact',
      sql`${t.enteredHotTotal} + ${t.scoreUpdatedTotal} = ${t.enteredHotSent} + ${t.scoreUpdatedSent} + ${t.heldByCap} + ${t.heldByBacklog} and ${t.enteredHotSent} <= ${t.enteredHotTotal} and ${t.scoreUpdatedSent} <= ${t.scoreUpdatedTotal}`,
    ),
  ],
);

/** How many leads of a source became hot in a rescore, whether or not they were sent. */
export const rescoreSourceCounts = pgTable(
  'rescore_source_counts',
  {
    runId: text().notNull(),
    accountId: text().notNull(),
    kind: text({ enum: WATCH_KINDS }).notNull(),
    sourceId: text().notNull(),
    /** As it was called when it was last counted. */
    name: text().notNull(),
    enteredHot: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.accountId, t.kind, t.sourceId] }),
    foreignKey({
      name: 'rescore_source_counts_account',
      columns: [t.runId, t.accountId],
      foreignColumns: [rescoreCounts.runId, rescoreCounts.accountId],
    }),
    check('rescore_source_counts_kind', oneOf(t.kind, WATCH_KINDS)),
  ],
);
