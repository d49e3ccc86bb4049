import { badRequest } from '../errors.ts';
import { bareHost, hostFault } from './host-rules.ts';
import { ALLOWED_PORTS, isAllowedPort } from './port-rules.ts';

/** What an operator grants or denies on top of the fixed rules. */
export interface EndpointUrlPolicy {
  /** Exact origins let through for development, such as `http://127.0.0.1:9000`. */
  devOrigins: readonly string[];
  /** Hosts of this service (`name` or `name:port`), refused because events would loop. */
  ownHosts: readonly string[];
}

/** The longest endpoint URL, in characters, as typed and as encoded. */
export const MAX_ENDPOINT_URL_LENGTH = 2_048;

/** Control, invisible, unassigned and space characters, and the backslash that parsers read as a slash. */
const UNSAFE_CHARACTERS = /[\p{C}\p{Z}\\]/u;

/**
 * Reads an endpoint URL by its text alone: a public https URL (spec §6.2), without user name,
 * password or fragment. Trailing dots of the host are dropped. Throws a bad request on `url` that
 * says what is wrong and what is allowed. What the host resolves to is not looked at here.
 */
export function parseEndpointUrl(raw: string, policy: EndpointUrlPolicy): URL {
  const url = parse(raw);
  if (url.username || url.password) {
    throw refused('must not carry a user name or password; put secrets in the path instead');
  }
  // An empty fragment leaves no trace in `hash`, but only a fragment can bring a `#`.
  if (raw.includes('#')) throw refused('must not have a fragment (#…)');
  if (isDevOrigin(url, policy.devOrigins)) return url;
  if (url.protocol !== 'https:') throw refused('must begin with https://');

  url.hostname = url.hostname.replace(/\.+$/, '');
  const fault = hostFault(url.hostname);
  if (fault) throw refused(`must lead to a public host, and "${url.hostname}" ${fault}`);
  if (!isAllowedPort(url.port)) throw refused(`has port ${url.port}; allowed are ${ALLOWED_PORTS}`);
  if (policy.ownHosts.some((own) => isSameHost(url, own))) {
    throw refused('must not lead back to this service');
  }
  return url;
}

/** Whether the URL's origin is one of the origins let through for development. */
export function isDevOrigin(url: URL, devOrigins: readonly string[]): boolean {
  return devOrigins.some((origin) => new URL(origin).origin === url.origin);
}

function parse(raw: string): URL {
  if (raw.length > MAX_ENDPOINT_URL_LENGTH) throw tooLong();
  if (UNSAFE_CHARACTERS.test(raw)) {
    throw refused('must not contain spaces, control characters or backslashes');
  }
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  if (!url) throw refused('is not a complete URL; write it like https://hooks.example.com/leads');
  if (url.href.length > MAX_ENDPOINT_URL_LENGTH) throw tooLong();
  return url;
}

function isSameHost(url: URL, own: string): boolean {
  const wanted = own.toLowerCase().replace(/\.+(?=$|:\d+$)/, '');
  const port = url.port || '443';
  return [url.hostname, bareHost(url.hostname), `${url.hostname}:${port}`].includes(wanted);
}

function tooLong() {
  return refused(`is longer than ${MAX_ENDPOINT_URL_LENGTH} characters`);
}

function refused(reason: string) {
  return badRequest('url', `The endpoint URL ${reason}.`);
}
