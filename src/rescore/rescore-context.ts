import type { Db } from '../db/client.ts';
import type { LeadStyle } from '../leads/lead-data.ts';

/** How much a rescore may do at once. */
export interface RescoreLimits {
  /** The most events of each of the two types about leads, for an account in a run (spec §8). */
  cap: number;
  /** Above so many unfinished deliveries changes are only counted (spec §6.1, §8). */
  backlog: number;
  /** Parcels in a transaction. */
  batch: number;
}

/** What a rescore works with. */
export interface RescoreContext {
  db: Db;
  style: LeadStyle;
  limits: RescoreLimits;
}
