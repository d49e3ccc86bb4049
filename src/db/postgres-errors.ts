import { AppError } from '../errors.ts';

/** Whether an error is PostgreSQL's refusal of a second row, by the index that refused it. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, constraint_name: name } = cause as { code?: string; constraint_name?: string };
    if (code === '23505') return name === index;
  }
  return false;
}

/** Whether an error is the loss of a connection, or PostgreSQL's word that it is going down. */
export function isConnectionLost(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (/^(CONNECTION_|E[A-Z]+$|08|57P0[1-3])/.test(String(code ?? ''))) return true;
  }
  return false;
}

/** Deadlock, serialization failure, and a lock that was not had in time. */
const PASSING = new Set(['40P01', '40001', '55P03']);

/** Whether a transaction lost against another one: rolled back, and worth another try. */
export function isPassingConflict(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: string };
    if (code !== undefined && PASSING.has(code)) return true;
  }
  return false;
}

/** Values that PostgreSQL cannot keep, and rows that its constraints refuse. */
const OF_THE_DATA = /^2[23][0-9A-Z]{3}$/;

/**
 * Whether an error is the database's own trouble, which everything that asks it now would meet: any
 * error of it or of the way there, but not its refusal of the very values that it was given.
 */
export function isDatabaseTrouble(error: unknown): boolean {
  if (isConnectionLost(error)) return true;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AppError && cause.code === 'unavailable') return true;
    const { code } = cause as { code?: unknown };
    if (cause.name === 'PostgresError' && !OF_THE_DATA.test(String(code))) return true;
  }
  return false;
}
