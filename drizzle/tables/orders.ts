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
} from 'drizzle-orm/pg-core';
import type { Contacts } from '../../src/orders/contacts.ts';
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
    check('campaigns_state', oneOf(t.state, POSTCARD_STATES)),
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
    createdAt: moment().notNull().default(now),
    fulfilledAt: moment(),
  },
  (t) => [
    unique('orders_tenant').on(t.accountId, t.id),
    index('orders_newest').on(t.accountId, t.createdAt, t.id),
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
