import type { AttemptError } from '../domain/attempt-error.ts';
import type { Answer } from './exchange.ts';
import { redirectTarget } from './redirect-target.ts';
import type { SendResult } from './send-result.ts';

/** The statuses that ask to go elsewhere; 300 and 304 do so only with a Location. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Judges an answer (spec §3.5, §7.2): 2xx is a success once its body is through, anything else a
 * failure by its status alone. `bodyError` is the reason when the body broke off.
 */
export function verdict(
  answer: Answer,
  bodyError: AttemptError | undefined,
  url: URL,
  durationMs: number,
): SendResult {
  const { statusCode, excerpt: responseExcerpt } = answer;
  const seen = { statusCode, durationMs, responseExcerpt };
  if (statusCode >= 200 && statusCode < 300) {
    // A 204 has no body, whatever length it announces.
    return bodyError && statusCode !== 204
      ? { ok: false, error: bodyError, ...seen }
      : { ok: true, ...seen };
  }
  const mayRedirect = statusCode >= 300 && statusCode < 400;
  if (REDIRECTS.has(statusCode) || (mayRedirect && answer.location)) {
    const target = redirectTarget(answer.location, url);
    return { ok: false, error: 'redirect', ...seen, redirectTarget: target };
  }
  return { ok: false, error: 'http_status', ...seen };
}
