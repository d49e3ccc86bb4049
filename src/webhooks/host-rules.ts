import { isIP } from 'node:net';
import { isPublicAddress } from './address-guard.ts';

/** Endings of names that never belong to the public internet (RFC 6761, 6762, 7686, 8375, ICANN). */
const PRIVATE_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'home.arpa',
  'onion',
  'test',
  'invalid',
];

/** Names under public suffixes by which clouds offer instance credentials. */
const METADATA_NAMES = [
  'metadata.goog',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
];

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_NAME_LENGTH = 253;

/** The text of a URL's host as an address: IPv6 loses its brackets. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/**
 * Why a host can never receive events, as the end of a sentence, or undefined when it may. Names
 * are judged by their text alone; the addresses behind them are judged at every connection.
 */
export function hostFault(hostname: string): string | undefined {
  const host = bareHost(hostname);
  if (isIP(host)) return isPublicAddress(host) ? undefined : 'is not a public address';
  const labels = host.split('.');
  if (host.length > MAX_NAME_LENGTH || !labels.every((label) => LABEL.test(label))) {
    return 'is not a valid host name';
  }
  if (PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))) {
    return 'is a name for private networks';
  }
  if (labels.length < 2) return 'is a single word, not a full host name';
  if (METADATA_NAMES.includes(host)) return 'is a cloud metadata service';
  return undefined;
}
