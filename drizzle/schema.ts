import { sql, type SQL } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  type AnyPgColumn,
} from 'drizzle-orm/pg-core';
import { DEAL_STATUSES } from '../src/domain/deal-status.ts';
import { DELIVERY_STATES, ENDPOINT_STATES, SKIP_REASONS } from '../src/domain/delivery.ts';
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
    index('deals_activity').on(t.accountId, t.lastActivityAt.desc()),
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
    createdAt: moment().notNull().default(now),
    updatedAt: moment().notNull().default(now),
  },
  (t) => [
    unique('endpoints_tenant').on(t.accountId, t.id),
    check('endpoints_state', oneOf(t.state, ENDPOINT_STATES)),
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

/** One event on its way to one endpoint. */
export const deliveries = pgTable(
  'deliveries',
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    eventId: text().notNull(),
    endpointId: text().notNull(),
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
    uniqueIndex('deliveries_event_endpoint').on(t.eventId, t.endpointId),
    index('deliveries_endpoint_log').on(t.endpointId, t.createdAt.desc(), t.id.desc()),
    index('deliveries_expected')
      .on(t.expectedAt)
      .where(sql`${t.finishedAt} is null`),
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

/** Events whose workflow has still to be started: a small queue beside the append-only log. */
export const outbox = pgTable(
  'outbox',
  {
    eventId: text()
      .primaryKey()
      .references(() => events.id),
    /** Free to be claimed from then on: a claim moves it ahead by the lease, a failure by a wait. */
    availableAt: moment().notNull().default(now),
    tries: integer().notNull().default(0),
    /** True when the reconciler put it here because a delivery was overdue. */
    overdue: boolean().notNull().default(false),
    lastError: text(),
  },
  (t) => [index('outbox_available').on(t.availableAt)],
);
