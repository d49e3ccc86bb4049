import type { Context, ErrorHandler, NotFoundHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Plan } from '../domain/plan.ts';
import { isConnectionLost } from '../db/postgres-errors.ts';
import { AppError, errorMessage, type ErrorCode } from '../errors.ts';
import type { Logger } from '../log.ts';

export interface ApiEnv {
  Variables: { requestId: string };
}

const STATUSES: Record<ErrorCode, ContentfulStatusCode> = {
  bad_request: 400,
  unauthorized: 401,
  pro_required: 403,
  upgrade_required: 403,
  not_found: 404,
  conflict: 409,
  unreplayable: 422,
  rate_limited: 429,
  unavailable: 503,
};

/** Answers an error in the one shape that all of them have (spec §7.1). */
export function answerError(
  context: Context<ApiEnv>,
  status: ContentfulStatusCode,
  { error, message, requiredPlan }: { error: string; message: string; requiredPlan?: Plan },
) {
  const { requestId: request_id } = context.var;
  const plan = requiredPlan && { required_plan: requiredPlan };
  return context.json({ error, message, ...plan, request_id }, status);
}

/** Nothing is wrong with the request; the next one may well be answered. */
const AWAY = new AppError('unavailable', 'The service cannot answer at the moment; try again.', {
  retryAfterS: 5,
});

/** Turns what a route threw into an answer; what is not meant for the caller is only logged. */
export function onError(log: Logger): ErrorHandler<ApiEnv> {
  return (error, context) => {
    if (error instanceof AppError && error.code !== 'unavailable') {
      return answerAppError(context, error);
    }
    log.error({ error: errorMessage(error), requestId: context.var.requestId }, 'request failed');
    if (isAway(error)) return answerAppError(context, AWAY);
    const message = 'Something went wrong on our side.';
    return answerError(context, 500, { error: 'internal', message });
  };
}

/** Whether something that this service stands on cannot be had, behind whatever error tells of it. */
function isAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AppError && cause.code === 'unavailable') return true;
  }
  return isConnectionLost(error);
}

function answerAppError(context: Context<ApiEnv>, thrown: AppError) {
  const { code, message, requiredPlan, retryAfterS } = thrown;
  if (retryAfterS !== undefined) context.header('Retry-After', String(retryAfterS));
  // RFC 9110 §15.5.2: a 401 says how one is to authenticate.
  if (code === 'unauthorized') context.header('WWW-Authenticate', 'Bearer');
  const plan = requiredPlan && { requiredPlan };
  return answerError(context, STATUSES[code], { error: code, message, ...plan });
}

export const onNotFound: NotFoundHandler<ApiEnv> = (context) =>
  answerError(context, 404, {
    error: 'not_found',
    message: `There is nothing at ${context.req.path}.`,
  });
