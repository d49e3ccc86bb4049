import { sql } from 'drizzle-orm';
import {
  check,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Contacts, RefusedContact } from '../../src/orders/contacts.ts';
import { ORDER_SERVICES, ORDER_STATUSES } from '../../src/domain/order-status.ts';
import { POSTCARD_STATES } from '../../src/domain/postcard-state.ts';
import { moment } from '../columns.ts';
import { now, oneOf } from './shared.ts';
import { accounts } from './accounts.ts';
import { parcels } from './parcels.ts';
import { lists } from './sources.ts';

export const campaigns = pgTable(
  'campaigns',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    listId: text().notNull(),
    state: text({ enum: POSTCARD_STATES }).notNull().default('draft'),
    mailedAt: moment(),
    estDeliveryDate: date({ mode: 'string' }),
    /** When the print vendor took the cards. */
    submittedAt: moment(),
    /** When the next step is due, for its workflow and the reconciler; null when none is. */
    dueAt: moment(),
    /** A draft, or a campaign in production whose cards were all rejected; it stays there. */
    cancelledAt: moment(),
    createdAt: moment().notNull().default(now),
    updatedAt: moment().notNull().default(now),
  },
  (t) => [
    unique('campaigns_tenant').on(t.accountId, t.id),
    foreignKey({
      name: 'campaigns_list',
      columns: [t.accountId, t.listId],
      foreignColumns: [lists.accountId, lists.id],
    }),
    index('campaigns_newest').on(t.accountId, t.createdAt, t.id),
    index('campaigns_due')
      .on(t.dueAt)
      .where(sql`${t.dueAt} is not null`),
    check('campaigns_state', oneOf(t.state, POSTCARD_STATES)),
    check(
      'campaigns_moves',
      sql`(${t.mailedAt} is not null) = (${t.state} in ('mailed', 'delivered_est')) and (${t.dueAt} is null or ${t.state} in ('production', 'mailed')) and (${t.cancelledAt} is null or (${t.state} in ('draft', 'production') and ${t.dueAt} is null))`,
    ),
    check(
      'campaigns_submitted',
      sql`${t.state} in ('draft', 'production') or ${t.submittedAt} is not null`,
    ),
  ],
);

/** One skip trace or one postcard of one parcel. */
export const orders = pgTable(
  'orders',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    batchId: text().notNull(),
    /** Empty when it was not ordered from a list. */
    listId: text().notNull().default(''),
    listName: text().notNull().default(''),
    service: text({ enum: ORDER_SERVICES }).notNull(),
    status: text({ enum: ORDER_STATUSES }).notNull(),
    priceCents: integer().notNull(),
    parcelId: text()
      .notNull()
      .references(() => parcels.id),
    campaignId: text(),
    postcardState: text({ enum: POSTCARD_STATES }),
    vendorStatus: text(),
    mailedAt: moment(),
    /** What a skip trace found; see src/orders/contacts.ts. Null before it is fulfilled. */
    contacts: jsonb().$type<Contacts>(),
    /** What it found that is no number or address: which one and why, not what it said. */
    refusedContacts: jsonb().$type<RefusedContact[]>().notNull().default([]),
    createdAt: moment().notNull().default(now),
    paidAt: moment(),
    fulfilledAt: moment(),
  },
  (t) => [
    unique('orders_tenant').on(t.accountId, t.id),
    index('orders_newest').on(t.accountId, t.createdAt, t.id),
    // No lead twice in a batch or a campaign.
    uniqueIndex('orders_batch').on(t.batchId, t.parcelId),
    index('orders_cards')
      .on(t.accountId, t.campaignId)
      .where(sql`${t.campaignId} is not null`),
    // Batches that are paid for and not done, for the reconciler.
    index('orders_tracing')
      .on(t.paidAt)
      .where(sql`${t.status} = 'PAID' and ${t.service} = 'SKIP_TRACE'`),
    // The newest contacts that an account has bought of a parcel.
    index('orders_contacts')
      .on(t.accountId, t.parcelId, t.fulfilledAt)
      .where(sql`${t.contacts} is not null`),
    foreignKey({
      name: 'orders_campaign',
      columns: [t.accountId, t.campaignId],
      foreignColumns: [campaigns.accountId, campaigns.id],
    }),
    check(
      'orders_state',
      sql`${oneOf(t.service, ORDER_SERVICES)} and ${oneOf(t.status, ORDER_STATUSES)} and (${t.status} = 'FULFILLED') = (${t.fulfilledAt} is not null)`,
    ),
    check(
      'orders_postcard',
      sql`(${t.service} = 'POSTCARD') = (${t.postcardState} is not null) and (${t.postcardState} is null or ${oneOf(t.postcardState, POSTCARD_STATES)})`,
    ),
  ],
);
