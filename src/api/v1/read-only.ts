import type { MiddlewareHandler } from 'hono';
import { answerError, type ApiEnv } from '../on-error.ts';

const ALLOWED = ['GET', 'HEAD'];

/**
 * Refuses every method but GET and HEAD with 405 (spec §4.2: GET only). It comes before
 * authentication: such a request costs no query, counts for no key, and tells nothing.
 */
export const readOnly: MiddlewareHandler<ApiEnv> = async (context, next) => {
  if (ALLOWED.includes(context.req.method)) return next();
  context.header('Allow', ALLOWED.join(', '));
  context.header('Cache-Control', 'private, no-store');
  return answerError(context, 405, {
    error: 'method_not_allowed',
    message: `Nothing can be changed here: ${ALLOWED.join(' and ')} are the methods.`,
  });
};
