import type { MiddlewareHandler } from 'hono';
import type { ApiEnv } from './on-error.ts';

/**
 * No route takes a body. A request that brings one is answered all the same, and then its connection
 * ends: otherwise all of it would have to be read, however long it is, before the next request.
 */
export const unreadBody: MiddlewareHandler<ApiEnv> = async (context, next) => {
  const { req } = context;
  const length = req.header('Content-Length') ?? '0';
  if (length !== '0' || req.header('Transfer-Encoding') !== undefined) {
    context.header('Connection', 'close');
  }
  await next();
};
