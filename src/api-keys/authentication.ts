import type { Plan } from '../domain/plan.ts';
import type { AppError } from '../errors.ts';

/** Requests let through for one key in any 60 seconds (spec §8). */
export const RATE_LIMIT = 120;
export const RATE_WINDOW_S = 60;

/** Whose request this is. */
export interface Caller {
  accountId: string;
  plan: Plan;
  keyId: string;
}

/** How a key stands with the rate limit. */
export interface Quota {
  limit: number;
  /** Requests that would be let through now. */
  remaining: number;
  /** Whole seconds, rounded up, until the oldest request counts no more; 0 when none counts. */
  resetS: number;
}

/** What came of a request's key. A refusal has a quota when the key itself is good. */
export type Authentication =
  { caller: Caller; quota: Quota } | { refusal: AppError; quota: Quota | undefined };
