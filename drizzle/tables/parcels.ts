import { sql } from 'drizzle-orm';
import { boolean, check, date, index, integer, pgTable, text, unique } from 'drizzle-orm/pg-core';
import { point } from '../columns.ts';

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
    /** Two letters. */
    state: text().notNull().default('TX'),
    /** House number and street as src/parcels/street-key.ts reads them, for the lookup. */
    houseNumber: text(),
    streetKey: text(),
    location: point(),
    ownerName: text().notNull().default(''),
    mailingAddress: text().notNull().default(''),
    /** The signals of src/domain/score.ts. */
    mailingState: text(),
    ownerOccupied: boolean().notNull().default(true),
    ownedSince: date({ mode: 'string' }),
    freeAndClear: boolean().notNull().default(false),
    ownerBirthYear: integer(),
    vacant: boolean().notNull().default(false),
    probateFiledOn: date({ mode: 'string' }),
    foreclosureNoticeOn: date({ mode: 'string' }),
    taxDelinquentYears: integer().notNull().default(0),
    openCodeViolations: integer().notNull().default(0),
    /** What the signals came to on this day: what the Read API and events show. */
    score: integer().notNull().default(0),
    /** The score that the last rescore, or else the first import, made known. */
    announcedScore: integer().notNull(),
    leadTypes: text().array().notNull().default([]),
    scoredOn: date({ mode: 'string' })
      .notNull()
      .default(sql`current_date`),
  },
  (t) => [
    unique('parcels_county_account_num').on(t.county, t.accountNum),
    index('parcels_address').on(t.houseNumber, t.streetKey),
    index('parcels_location').using('gist', t.location),
    // What a saved search reads: the highest scores of a county or a ZIP code first.
    index('parcels_county_score').on(t.county, t.score, t.id),
    index('parcels_zip5_score').on(sql`left(${t.zip}, 5)`, t.score, t.id),
    check('parcels_id', sql`${t.id} = ${t.county} || ':' || ${t.accountNum}`),
    check('parcels_score', sql`${t.score} between 0 and 100`),
  ],
);
