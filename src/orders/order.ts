import type { orders } from '../../drizzle/schema.ts';

/** An order as it is stored. */
export type Order = typeof orders.$inferSelect;

/** The most orders that one batch or campaign may have: as many as a source has candidates. */
export const MOST_ORDERS = 5_000;
