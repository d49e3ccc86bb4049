import { sql, type SQL } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  type AnyPgColumn,
} from 'drizzle-orm/pg-core';
import { DEAL_STATUSES } from '../src/domain/deal-status.ts';
import {
  DELIVERY_KINDS,
  DELIVERY_STATES,
  ENDPOINT_STATES,
  SKIP_REASONS,
} from '../src/domain/delivery.ts';
import { PAUSE_REASONS } from '../src/domain/health.ts';
import { OUTBOX_TASKS } from '../src/domain/outbox-task.ts';
import { AUDIT_ACTIONS } from '../src/domain/audit-action.ts';
import { REPLAY_STATES } from '../src/domain/replay.ts';
import { PLANS } from '../src/domain/plan.ts';
import { bytes, moment } from './columns.ts';

/*
 * Every table of a tenant carries account_id, and keys between such tables are composite
 * (account_id, id): a row of one account that points to another account's cannot be stored.
 */

const now = sql`clock_timestamp()`;

function oneOf(column: AnyPgColumn, values: readonly string[]): SQL {
  return sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`;
}

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

/** Public records, shared by all accounts. */
export const parcels = pgTable(
  'parcels',
  {
    id: text().primaryKey(),
    county: text().notNull(),
    accountNum: text().notNull(),
    address: text().notNull(),
    city: text().notNull(),
    zip: text().notNull(),
  },
  (t) => [
    unique('parcels_county_account_num').on(t.county, t.accountNum),
    check('parcels_id', sql`${t.id} = ${t.county} || ':' || ${t.accountNum}`),
  ],
);

export const deals = pgTable(
  'deals',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    parcelId: text()
      .notNull()
      .references(() => parcels.id),
    status: text({ enum: DEAL_STATUSES }).notNull(),
    subState: text(),
    exitStrategy: text().notNull().default('undecided'),
    deadReason: text(),
    note: text(),
    nextAction: text(),
    nextActionDue: date({ mode: 'string' }),
    offerDate: date({ mode: 'string' }),
    effectiveDate: date({ mode: 'string' }),
    optionEndDate: date({ mode: 'string' }),
    closingDate: date({ mode: 'string' }),
    buyerName: text(),
    buyerPhone: text(),
    buyerEmail: text(),
    titleCompany: text(),
    source: text().notNull().default('pipeline'),
    createdVia: text().notNull().default('manual'),
    contractPriceCents: bigint({ mode: 'number' }),
    earnestCents: bigint({ mode: 'number' }),
    estFeeCents: bigint({ mode: 'number' }),
    actualFeeCents: bigint({ mode: 'number' }),
    actualSalePriceCents: bigint({ mode: 'number' }),
    actualProfitCents: bigint({ mode: 'number' }),
    stageEnteredAt: moment().notNull().default(now),
    closedAt: moment(),
    lastActivityAt: moment().notNull().default(now),
    createdAt: moment().notNull().default(now),
    updatedAt: moment().notNull().default(now),
  },
  (t) => [
    unique('deals_tenant').on(t.accountId, t.id),
    index('deals_activity').on(t.accountId, t.lastActivityAt),
    check('deals_status', oneOf(t.status, DEAL_STATUSES)),
    check('deals_closed_at', sql`(${t.status} = 'CLOSED') = (${t.closedAt} is not null)`),
  ],
);

export const endpoints = pgTable(
  'endpoints',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    url: text().notNull(),
    description: text().notNull().default(''),
    eventTypes: text().array().notNull(),
    state: text({ enum: ENDPOINT_STATES }).notNull().default('active'),
    sealedSecret: bytes().notNull(),
    /** Prepared by a rotation and not used yet: signatures are made with `sealedSecret`. */
    sealedNextSecret: bytes(),
    /** Since when every delivery has failed; null while the endpoint is healthy. */
    failingSince: moment(),
    /** Rises with every change of state or `failingSince`: the newest one counts. */
    healthVersion: integer().notNull().default(1),
    /** Rises when a URL change or a resume makes earlier attempts say nothing about health. */
    healthEra: integer().notNull().default(0),
    pausedAt: moment(),
    pauseReason: text({ enum: PAUSE_REASONS }),
    createdAt: moment().notNull().default(now),
    updatedAt: moment().notNull().default(now),
  },
  (t) => [
    unique('endpoints_tenant').on(t.accountId, t.id),
    index('endpoints_failing')
      .on(t.failingSince)
      .where(sql`${t.failingSince} is not null and ${t.state} = 'active'`),
    check('endpoints_state', oneOf(t.state, ENDPOINT_STATES)),
    check(
      'endpoints_paused',
      sql`(${t.state} = 'paused') = (${t.pausedAt} is not null) and (${t.pausedAt} is null) = (${t.pauseReason} is null) and (${t.pauseReason} is null or ${oneOf(t.pauseReason, PAUSE_REASONS)})`,
    ),
    check('endpoints_event_types', sql`cardinality(${t.eventTypes}) > 0`),
  ],
);

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

/** One event on its way to one endpoint; see DELIVERY_KINDS for what else is kept here. */
export const deliveries = pgTable(
  'deliveries',
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    kind: text({ enum: DELIVERY_KINDS }).notNull().default('automatic'),
    /** Null for a test, which is no event. */
    eventId: text(),
    eventType: text().notNull(),
    /** The event's created_at. */
    eventAt: moment().notNull(),
    endpointId: text().notNull(),
    /** 0 for the automatic delivery, then 1, 2, … for those that repeat it. */
    round: integer().notNull().default(0),
    /** The delivery that was asked for again; it may be purged before this one. */
    redeliveryOf: text(),
    /** The later delivery of the same event that took over; it counts instead of this one. */
    replacedBy: text(),
    replayId: text(),
    state: text({ enum: DELIVERY_STATES }).notNull(),
    skipReason: text({ enum: SKIP_REASONS }),
    attemptsMade: integer().notNull().default(0),
    nextAttemptAt: moment(),
    /** When the next thing should happen at the latest, for the reconciler; null once finished. */
    expectedAt: moment(),
    createdAt: moment().notNull().default(now),
    finishedAt: moment(),
  },
  (t) => [
    unique('deliveries_tenant').on(t.accountId, t.id),
    uniqueIndex('deliveries_event_endpoint_round').on(t.eventId, t.endpointId, t.round),
    index('deliveries_endpoint_log').on(t.endpointId, t.createdAt, t.id),
    index('deliveries_expected')
      .on(t.expectedAt)
      .where(sql`${t.finishedAt} is null`),
    index('deliveries_waiting')
      .on(t.endpointId, t.eventAt, t.id)
      .where(
        sql`${t.replacedBy} is null and ${t.state} in ('failed', 'skipped') and ${t.kind} <> 'test'`,
      ),
    index('deliveries_replay')
      .on(t.replayId)
      .where(sql`${t.replayId} is not null`),
    foreignKey({
      name: 'deliveries_event',
      columns: [t.accountId, t.eventId],
      foreignColumns: [events.accountId, events.id],
    }),
    foreignKey({
      name: 'deliveries_endpoint',
      columns: [t.accountId, t.endpointId],
      foreignColumns: [endpoints.accountId, endpoints.id],
    }),
    check(
      'deliveries_kind',
      sql`${oneOf(t.kind, DELIVERY_KINDS)} and (${t.kind} = 'test') = (${t.eventId} is null) and (${t.kind} in ('redelivery', 'last_attempt')) = (${t.redeliveryOf} is not null) and (${t.redeliveryOf} is not null) = (${t.round} > 0)`,
    ),
    check('deliveries_state', oneOf(t.state, DELIVERY_STATES)),
    check(
      'deliveries_skip_reason',
      sql`(${t.state} = 'skipped') = (${t.skipReason} is not null) and (${t.skipReason} is null or ${oneOf(t.skipReason, SKIP_REASONS)})`,
    ),
    check(
      'deliveries_finished',
      sql`(${t.state} in ('pending', 'retrying')) = (${t.finishedAt} is null) and (${t.finishedAt} is null) = (${t.expectedAt} is not null)`,
    ),
    check('deliveries_attempts_made', sql`${t.attemptsMade} >= 0`),
  ],
);

/** One POST, or one refusal to make it, and what came of it. */
export const attempts = pgTable(
  'attempts',
  {
    deliveryId: text().notNull(),
    number: integer().notNull(),
    accountId: text().notNull(),
    url: text().notNull(),
    startedAt: moment().notNull(),
    durationMs: integer().notNull(),
    statusCode: integer(),
    /** From the fixed vocabulary of src/domain/attempt-error.ts; null when the answer was a 2xx. */
    error: text(),
    redirectTarget: text(),
    responseExcerpt: text(),
  },
  (t) => [
    primaryKey({ columns: [t.deliveryId, t.number] }),
    foreignKey({
      name: 'attempts_delivery',
      columns: [t.accountId, t.deliveryId],
      foreignColumns: [deliveries.accountId, deliveries.id],
    }),
    check('attempts_number', sql`${t.number} >= 1`),
    check(
      'attempts_verdict',
      sql`${t.error} is not null or coalesce(${t.statusCode} between 200 and 299, false)`,
    ),
  ],
);

/** One wish to send again what an endpoint did not get, in order, one after another. */
export const replays = pgTable(
  'replays',
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    endpointId: text().notNull(),
    actor: text().notNull(),
    /** Which deliveries are taken: by their state, and by when their event happened. */
    states: text({ enum: DELIVERY_STATES }).array().notNull(),
    since: moment(),
    until: moment(),
    /** How many there were when it was asked for. */
    total: integer().notNull(),
    made: integer().notNull().default(0),
    state: text({ enum: REPLAY_STATES }).notNull().default('running'),
    createdAt: moment().notNull().default(now),
    finishedAt: moment(),
  },
  (t) => [
    unique('replays_tenant').on(t.accountId, t.id),
    uniqueIndex('replays_one_running')
      .on(t.endpointId)
      .where(sql`${t.finishedAt} is null`),
    foreignKey({
      name: 'replays_endpoint',
      columns: [t.accountId, t.endpointId],
      foreignColumns: [endpoints.accountId, endpoints.id],
    }),
    check(
      'replays_state',
      sql`${oneOf(t.state, REPLAY_STATES)} and (${t.state} = 'running') = (${t.finishedAt} is null)`,
    ),
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

/** Append-only: who did what to which endpoint or key. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    at: moment().notNull().default(now),
    actor: text().notNull(),
    action: text({ enum: AUDIT_ACTIONS }).notNull(),
    /** The endpoint or key. */
    subjectId: text().notNull(),
    details: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  },
  (t) => [
    index('audit_log_account').on(t.accountId, t.id),
    index('audit_log_subject').on(t.subjectId, t.id),
    check('audit_log_action', oneOf(t.action, AUDIT_ACTIONS)),
  ],
);

/** What Temporal has still to be told: a small queue beside the records. */
export const outbox = pgTable(
  'outbox',
  {
    /** The workflow's id; for `wake`, which has no workflow of its own, `wake:<delivery id>`. */
    key: text().primaryKey(),
    task: text({ enum: OUTBOX_TASKS }).notNull(),
    accountId: text().notNull(),
    /** The event, delivery, endpoint, replay or mail that it is about. */
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
