/**
 * Errors that a caller can act on. Anything else that is thrown is a programming error or an
 * infrastructure fault and is left to crash loudly or be retried where it belongs.
 */
export type ErrorCode =
  | 'bad_request' // a value handed in is wrong; `field` says which
  | 'not_found' // no such thing on this account
  | 'conflict' // the thing is not in a state that allows this
  | 'unavailable'; // something this service needs cannot be had now

/** An error with a stable code, a message for the person who caused it, and the field at fault. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly field: string | undefined;

  constructor(code: ErrorCode, message: string, options: { field?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.field = options.field;
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
