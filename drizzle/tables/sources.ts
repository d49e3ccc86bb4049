import {
  boolean,
  check,
  foreignKey,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core';
import { HELD_VIA } from '../../src/domain/held-via.ts';
import { LIST_STATUSES } from '../../src/domain/list-status.ts';
import { moment, polygon } from '../columns.ts';
import { now, oneOf } from './shared.ts';
import { accounts } from './accounts.ts';
import { parcels } from './parcels.ts';

/** A list of leads that an account keeps. */
export const lists = pgTable(
  'lists',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    status: text({ enum: LIST_STATUSES }).notNull().default('active'),
    createdAt: moment().notNull().default(now),
    updatedAt: moment().notNull().default(now),
  },
  (t) => [
    unique('lists_tenant').on(t.accountId, t.id),
    check('lists_status', oneOf(t.status, LIST_STATUSES)),
  ],
);

export const listLeads = pgTable(
  'list_leads',
  {
    accountId: text().notNull(),
    listId: text().notNull(),
    parcelId: text()
      .notNull()
      .references(() => parcels.id),
    addedAt: moment().notNull().default(now),
  },
  (t) => [
    primaryKey({ columns: [t.listId, t.parcelId] }),
    index('list_leads_parcel').on(t.parcelId),
    foreignKey({
      name: 'list_leads_list',
      columns: [t.accountId, t.listId],
      foreignColumns: [lists.accountId, lists.id],
    }),
  ],
);

/** A piece of land that an account watches, as a polygon of longitudes and latitudes. */
export const farms = pgTable(
  'farms',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    area: polygon().notNull(),
    alertsEnabled: boolean().notNull().default(true),
    createdAt: moment().notNull().default(now),
    updatedAt: moment().notNull().default(now),
  },
  (t) => [unique('farms_tenant').on(t.accountId, t.id)],
);

/** Criteria that are run anew each time; see src/leads/search-criteria.ts. */
export const searches = pgTable(
  'searches',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    /** Not typed: what an older version saved may no longer be understood (spec §7.1). */
    criteria: jsonb().notNull(),
    createdAt: moment().notNull().default(now),
    updatedAt: moment().notNull().default(now),
  },
  (t) => [unique('searches_tenant').on(t.accountId, t.id)],
);

export const watchedCounties = pgTable(
  'watched_counties',
  {
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    county: text().notNull(),
    createdAt: moment().notNull().default(now),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.county] }),
    index('watched_counties_county').on(t.county),
  ],
);

/** Leads that an account holds, and in which way (spec §2.3, held_via). */
export const heldLeads = pgTable(
  'held_leads',
  {
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    parcelId: text()
      .notNull()
      .references(() => parcels.id),
    via: text({ enum: HELD_VIA }).notNull(),
    createdAt: moment().notNull().default(now),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.parcelId, t.via] }),
    index('held_leads_parcel').on(t.parcelId),
    check('held_leads_via', oneOf(t.via, HELD_VIA)),
  ],
);
