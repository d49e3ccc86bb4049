import { isGrpcServiceError } from '@temporalio/client';
import { errorMessage } from '../errors.ts';

/** gRPC's codes for "Temporal does not answer now": cancelled, deadline, exhausted, unavailable. */
const AWAY = new Set([1, 4, 8, 14]);

/**
 * Why a workflow could not be started. `away`: Temporal does not answer, which is no event's fault.
 * `unprepared`: it is there, but knows nothing of this service (its data was lost). `refused`: it
 * does not take this one event.
 */
export function startErrorKind(error: unknown): 'away' | 'unprepared' | 'refused' {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (isGrpcServiceError(cause) && AWAY.has(cause.code)) return 'away';
  const text = `${errorMessage(error)} ${errorMessage(cause)}`;
  return /search attribute|namespace .*not found/i.test(text) ? 'unprepared' : 'refused';
}
