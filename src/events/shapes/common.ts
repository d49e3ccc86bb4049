import { z } from 'zod';

/** A moment: ISO 8601 in UTC (spec §2.1). */
export const timestamp = z.iso.datetime({ precision: null });

/** A calendar date, YYYY-MM-DD. */
export const calendarDate = z.iso.date();

/** Whole cents. */
export const cents = z.int();

/** The place a parcel is at, the same fields wherever a parcel is spoken of (spec §2.2). */
export const parcelFields = {
  parcel_id: z.string().regex(/^[^:]+:.+$/),
  county: z.string(),
  account_num: z.string(),
  address: z.string(),
  city: z.string(),
  zip: z.string(),
};

/** Present, and true, on samples only (spec §2.3). */
export const fixtureField = { fixture: z.literal(true).optional() };
