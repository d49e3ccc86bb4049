import { sql } from 'drizzle-orm';
import { bigint, check, date, index, pgTable, text, unique } from 'drizzle-orm/pg-core';
import { DEAL_STATUSES } from '../../src/domain/deal-status.ts';
import { moment } from '../columns.ts';
import { now, oneOf } from './shared.ts';
import { accounts } from './accounts.ts';
import { parcels } from './parcels.ts';

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
    index('deals_activity').on(t.accountId, t.lastActivityAt, t.id),
    check('deals_status', oneOf(t.status, DEAL_STATUSES)),
    check('deals_dead_reason', sql`${t.status} = 'DEAD' or ${t.deadReason} is null`),
    check('deals_next_action_due', sql`${t.nextAction} is not null or ${t.nextActionDue} is null`),
    check('deals_closed_at', sql`(${t.status} = 'CLOSED') = (${t.closedAt} is not null)`),
  ],
);
