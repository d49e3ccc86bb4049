import { errors } from 'undici';
import type { AttemptError } from '../domain/attempt-error.ts';
import { AttemptFailure } from './attempt-failure.ts';

/** Faults of this machine or of this code; no receiver can cause them. */
const OUR_FAULTS = new Set([
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'EADDRNOTAVAIL',
  'UND_ERR_INVALID_ARG',
]);

const BY_CODE: Record<string, AttemptError> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection_reset',
  UND_ERR_HEADERS_OVERFLOW: 'response_headers_too_large',
  CERT_HAS_EXPIRED: 'tls_certificate_expired',
  CERT_NOT_YET_VALID: 'tls_certificate_expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_certificate_untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_certificate_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_certificate_untrusted',
  CERT_UNTRUSTED: 'tls_certificate_untrusted',
  CERT_REJECTED: 'tls_certificate_untrusted',
  CERT_SIGNATURE_FAILURE: 'tls_certificate_untrusted',
  CERT_CHAIN_TOO_LONG: 'tls_certificate_untrusted',
  INVALID_CA: 'tls_certificate_untrusted',
  INVALID_PURPOSE: 'tls_certificate_untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_certificate_wrong_name',
  ERR_TLS_CERT_ALTNAME_FORMAT: 'tls_certificate_wrong_name',
  HOSTNAME_MISMATCH: 'tls_certificate_wrong_name',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls_version_unsupported',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'tls_version_unsupported',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_not_offered',
  ERR_SSL_HTTP_REQUEST: 'tls_not_offered',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls_not_offered',
};

/** Families of codes, tried in this order after the exact ones. */
const BY_PREFIX: [string, AttemptError][] = [
  ['ERR_SSL_', 'tls_failed'],
  ['ERR_TLS_', 'tls_failed'],
  ['CERT_', 'tls_failed'],
  ['EPROTO', 'tls_failed'],
];

/** How undici words a response that arrives where none is due. */
const UNDUE_RESPONSE = new Set(['bad response', 'bad upgrade']);

/** How undici's parser words a connection that ended inside a response. */
const CUT_SHORT = 'Invalid EOF state';

/**
 * The reason, out of the fixed vocabulary, for an error met while sending. Undefined for what no
 * receiver can cause (no file handles left, a bug): that is to be thrown on, not logged as theirs.
 */
export function classifyError(error: unknown): AttemptError | undefined {
  if (error instanceof AttemptFailure) return error.reason;
  if (!(error instanceof Error)) return undefined;
  if (error instanceof errors.HTTPParserError) {
    return error.message.includes(CUT_SHORT) ? 'connection_reset' : 'response_invalid';
  }
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || OUR_FAULTS.has(code)) return undefined;
  if (code === 'UND_ERR_SOCKET') {
    return UNDUE_RESPONSE.has(error.message) ? 'response_invalid' : 'connection_reset';
  }
  const byPrefix = BY_PREFIX.find(([prefix]) => code.startsWith(prefix));
  return BY_CODE[code] ?? byPrefix?.[1] ?? 'connection_failed';
}
