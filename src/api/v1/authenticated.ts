import type { MiddlewareHandler } from 'hono';
import {
  RATE_LIMIT,
  RATE_WINDOW_S,
  type Caller,
  type Quota,
} from '../../api-keys/authentication.ts';
import type { Authenticator } from '../../api-keys/authenticator.ts';
import { unauthorized } from '../../errors.ts';
import type { ApiEnv } from '../on-error.ts';

/** What routes under /v1 find in `context.var`. */
export interface CallerEnv {
  Variables: ApiEnv['Variables'] & { caller: Caller };
}

/** The scheme in any case of letters (RFC 9110 §11.1), and one word: two headers arrive as a list. */
const BEARER = /^Bearer +([^\s,]+)$/i;

const POLICY = `"key";q=${RATE_LIMIT};w=${RATE_WINDOW_S}`;

/**
 * Lets requests through that show a good key (spec §5.1) and sets `caller`; throws `unauthorized`,
 * `pro_required` or `rate_limited` for others. Every answer to a good key tells how it stands with
 * the rate limit, and none may be kept by a cache on the way.
 */
export function authenticated(authenticate: Authenticator): MiddlewareHandler<CallerEnv> {
  return async (context, next) => {
    context.header('Cache-Control', 'private, no-store');
    const [, key] = BEARER.exec(context.req.header('Authorization') ?? '') ?? [];
    if (key === undefined) throw unauthorized();
    const result = await authenticate(key);
    if (result.quota) {
      context.header('RateLimit-Policy', POLICY);
      context.header('RateLimit', rateLimit(result.quota));
    }
    if ('refusal' in result) throw result.refusal;
    context.set('caller', result.caller);
    await next();
  };
}

/** The field of draft-ietf-httpapi-ratelimit-headers: what is left, and when there will be more. */
function rateLimit({ remaining, resetS }: Quota): string {
  return `"key";r=${remaining};t=${resetS}`;
}
