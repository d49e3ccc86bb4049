import type { Plan } from './domain/plan.ts';

/**
 * Errors that a caller can act on. Anything else that is thrown is a programming error or an
 * infrastructure fault and is left to crash loudly or be retried where it belongs.
 */
export type ErrorCode =
  | 'bad_request' // a value handed in is wrong; `field` says which
  | 'not_found' // no such thing on this account
  | 'conflict' // the thing is not in a state that allows this
  | 'unauthorized' // no key, or none that is good
  | 'pro_required' // the account's plan carries no Read API
  | 'upgrade_required' // the account's plan does not carry this; `requiredPlan` does
  | 'rate_limited' // too many requests; `retryAfterS` says when there may be more
  | 'unreplayable' // a saved search that cannot be run any more
  | 'unavailable'; // something this service needs cannot be had now

/** One of several things that are wrong with a file. */
export interface Fault {
  /** From 1. */
  line: number;
  /** Null when it is the line as a whole. */
  field: string | null;
  message: string;
}

/** What some of the codes carry. */
export interface ErrorDetails {
  /** The field at fault. */
  field?: string;
  /** The smallest plan that would do. */
  requiredPlan?: Plan;
  /** Whole seconds to wait before trying again. */
  retryAfterS?: number;
  /** What is wrong with a file, when that is more than one thing. */
  faults?: readonly Fault[];
  cause?: unknown;
}

/** An error with a stable code, and a message for the person who caused it. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly requiredPlan: Plan | undefined;
  readonly retryAfterS: number | undefined;
  readonly faults: readonly Fault[] | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.field = details.field;
    this.requiredPlan = details.requiredPlan;
    this.retryAfterS = details.retryAfterS;
    this.faults = details.faults;
  }
}

/** A value handed in is wrong: names the field and what is allowed. */
export function badRequest(field: string, message: string): AppError {
  return new AppError('bad_request', message, { field });
}

/** No such thing on this account; the same answer whether it exists elsewhere or not. */
export function notFound(what: string): AppError {
  return new AppError('not_found', `No such ${what}.`);
}

/** The thing exists but is in a state that does not allow this. */
export function conflict(message: string): AppError {
  return new AppError('conflict', message);
}

/** No key, or none that is good: one answer for all of them, which tells a stranger nothing. */
export function unauthorized(): AppError {
  return new AppError(
    'unauthorized',
    'A key of the Read API that has not been revoked is needed, as "Authorization: Bearer <key>".',
  );
}

/** The account's plan carries no Read API (spec §5.1). */
export function proRequired(): AppError {
  return new AppError('pro_required', 'The Read API needs the Pro plan or the Elite plan.');
}

/** The account's plan does not carry what was asked for; `requiredPlan` does (spec §7.1). */
export function upgradeRequired(requiredPlan: Plan, message: string): AppError {
  return new AppError('upgrade_required', message, { requiredPlan });
}

/** Too many requests; after `retryAfterS` whole seconds there may be another. */
export function rateLimited(message: string, retryAfterS: number): AppError {
  return new AppError('rate_limited', message, { retryAfterS });
}

/** A saved search that this version cannot run (spec §7.1). */
export function unreplayable(message: string): AppError {
  return new AppError('unreplayable', message);
}

/** Something the service stands on cannot be had: says why and what to do. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { cause });
}

/**
 * The error that a failed query was caused by, or else the error itself. Drizzle's own error repeats
 * the statement's parameters, which hold contacts and secrets, and must not be shown or logged.
 */
export function withoutParameters(error: unknown): unknown {
  return error instanceof Error && 'params' in error
    ? (error.cause ?? new Error('query failed'))
    : error;
}

/** The text of anything thrown, for messages and logs, without parameters of queries. */
export function errorMessage(error: unknown): string {
  const shown = withoutParameters(error);
  return shown instanceof Error ? shown.message : String(shown);
}
