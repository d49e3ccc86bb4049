import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, pgTable, text, unique } from 'drizzle-orm/pg-core';
import { ENDPOINT_STATES } from '../../src/domain/delivery.ts';
import { PAUSE_REASONS } from '../../src/domain/health.ts';
import { AUDIT_ACTIONS } from '../../src/domain/audit-action.ts';
import { bytes, moment } from '../columns.ts';
import { now, oneOf } from './shared.ts';
import { accounts } from './accounts.ts';

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
    /** The account, endpoint or key. */
    subjectId: text().notNull(),
    details: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  },
  (t) => [
    index('audit_log_account').on(t.accountId, t.id),
    index('audit_log_subject').on(t.subjectId, t.id),
    check('audit_log_action', oneOf(t.action, AUDIT_ACTIONS)),
  ],
);
