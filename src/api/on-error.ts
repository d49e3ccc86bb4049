import type { Context, ErrorHandler, NotFoundHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { AppError, errorMessage, type ErrorCode } from '../errors.ts';
import type { Logger } from '../log.ts';

export interface ApiEnv {
  Variables: { requestId: string };
}

const STATUSES: Record<ErrorCode, ContentfulStatusCode> = {
  bad_request: 400,
  not_found: 404,
  conflict: 409,
  unavailable: 503,
};

/** Answers an error in the one shape that all of them have (spec §7.1). */
function answer(
  context: Context<ApiEnv>,
  status: ContentfulStatusCode,
  error: string,
  message: string,
) {
  return context.json({ error, message, request_id: context.var.requestId }, status);
}

/** Turns what a route threw into an answer; what is not meant for the caller is only logged. */
export function onError(log: Logger): ErrorHandler<ApiEnv> {
  return (error, context) => {
    if (error instanceof AppError)
      return answer(context, STATUSES[error.code], error.code, error.message);
    log.error({ error: errorMessage(error), requestId: context.var.requestId }, 'request failed');
    return answer(context, 500, 'internal', 'Something went wrong on our side.');
  };
}

export const onNotFound: NotFoundHandler<ApiEnv> = (context) =>
  answer(context, 404, 'not_found', `There is nothing at ${context.req.path}.`);
