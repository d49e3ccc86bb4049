import { describe, expect, it } from 'vitest';
import { ATTEMPT_ERRORS, describeAttemptError } from '../../src/domain/attempt-error.ts';
import { AttemptFailure } from '../../src/webhooks/attempt-failure.ts';
import { classifyError } from '../../src/webhooks/classify-error.ts';

const coded = (code: string) => Object.assign(new Error(`${code} 10.0.0.1:443`), { code });

describe('classifying errors', () => {
  it.each([
    ['ECONNREFUSED', 'connection_refused'],
    ['ECONNRESET', 'connection_reset'],
    ['EPIPE', 'connection_reset'],
    ['EHOSTUNREACH', 'connection_failed'],
    ['ENETUNREACH', 'connection_failed'],
    ['ETIMEDOUT', 'connection_failed'],
    ['CERT_HAS_EXPIRED', 'tls_certificate_expired'],
    ['CERT_NOT_YET_VALID', 'tls_certificate_expired'],
    ['CERT_REVOKED', 'tls_failed'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls_failed'],
    ['EPROTO', 'tls_failed'],
  ])('%s is %s', (code, expected) => expect(classifyError(coded(code))).toBe(expected));

  it('passes our own reasons on', () => {
    for (const reason of ATTEMPT_ERRORS) {
      expect(classifyError(new AttemptFailure(reason))).toBe(reason);
    }
  });

  it.each([
    coded('EMFILE'),
    coded('EADDRNOTAVAIL'),
    coded('UND_ERR_INVALID_ARG'),
    new TypeError('bug'),
  ])('does not blame a receiver for %s', (error) => expect(classifyError(error)).toBeUndefined());

  it('has one line of its own for every reason, without addresses', () => {
    const texts = ATTEMPT_ERRORS.map(describeAttemptError);
    expect(new Set(texts).size).toBe(ATTEMPT_ERRORS.length);
    for (const text of texts) expect(text).toMatch(/^[A-Z][^\n]+\.$/);
  });
});
