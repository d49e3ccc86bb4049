import { sql } from 'drizzle-orm';
import {
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { DELIVERY_KINDS, DELIVERY_STATES, SKIP_REASONS } from '../../src/domain/delivery.ts';
import { REPLAY_STATES } from '../../src/domain/replay.ts';
import { moment } from '../columns.ts';
import { now, oneOf } from './shared.ts';
import { endpoints } from './endpoints.ts';
import { events } from './events.ts';

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
