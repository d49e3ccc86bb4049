import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { badRequest } from '../errors.ts';
import type { ApiEnv } from './on-error.ts';

/** Refuses requests without a Host header, which HTTP/1.1 requires (RFC 9112 §3.2) and 1.0 does not. */
export const requireHost: MiddlewareHandler<ApiEnv> = async (context, next) => {
  const { incoming } = context.env as Partial<HttpBindings>;
  if (incoming && incoming.httpVersion !== '1.0' && incoming.headers.host === undefined) {
    context.header('Connection', 'close');
    throw badRequest('Host', 'Host: this header is missing.');
  }
  await next();
};
