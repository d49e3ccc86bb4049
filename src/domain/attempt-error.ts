/**
 * Why one delivery attempt failed, in words fit for the endpoint's owner. The list is fixed and
 * its texts are constant, so that nothing learnt on the way (a resolved address, a certificate's
 * contents, a banner) can leak through it.
 */
export const ATTEMPT_ERRORS = [
  'http_status',
  'redirect',
  'timeout',
  'url_refused',
  'address_refused',
  'dns_not_found',
  'dns_failed',
  'connection_refused',
  'connection_reset',
  'connection_failed',
  'tls_certificate_expired',
  'tls_certificate_untrusted',
  'tls_certificate_wrong_name',
  'tls_version_unsupported',
  'tls_not_offered',
  'tls_failed',
  'response_invalid',
  'response_headers_too_large',
] as const;

/** One reason out of {@link ATTEMPT_ERRORS}. */
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

const DESCRIPTIONS: Record<AttemptError, string> = {
  http_status: 'The receiver answered with a status that is not 2xx.',
  redirect: 'The receiver answered with a redirect, which is not followed.',
  timeout: 'The receiver did not finish its answer within the time limit.',
  url_refused: 'The endpoint URL is not one that events may be sent to.',
  address_refused: 'The host name leads to an address that is not public.',
  dns_not_found: 'The host name does not exist or has no address.',
  dns_failed: 'The host name could not be looked up.',
  connection_refused: 'The receiver refused the connection.',
  connection_reset: 'The receiver closed the connection before its answer was complete.',
  connection_failed: 'No connection to the receiver could be made or kept.',
  tls_certificate_expired: 'The TLS certificate of the receiver has expired or is not valid yet.',
  tls_certificate_untrusted:
    'The TLS certificate of the receiver is self-signed or from an unknown issuer.',
  tls_certificate_wrong_name: 'The TLS certificate of the receiver is for another host name.',
  tls_version_unsupported: 'The receiver offers no TLS version from 1.2 on.',
  tls_not_offered: 'The receiver does not speak TLS on this port.',
  tls_failed: 'The TLS handshake with the receiver failed.',
  response_invalid: 'The answer of the receiver is not valid HTTP.',
  response_headers_too_large: 'The headers of the answer are larger than 16 KB.',
};

/** One line that tells the endpoint's owner what happened. */
export function describeAttemptError(error: AttemptError): string {
  return DESCRIPTIONS[error];
}
