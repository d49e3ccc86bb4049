import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { ApiEnv } from './on-error.ts';

/** A new id for a request, by which its answer and our log can be matched. */
export function requestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

/** Gives every request its id, and every answer the header that tells it. */
export const withRequestId: MiddlewareHandler<ApiEnv> = async (context, next) => {
  context.set('requestId', requestId());
  context.header('X-Request-Id', context.var.requestId);
  await next();
};
