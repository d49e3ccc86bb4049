import { isIP } from 'node:net';
import { AttemptFailure } from './attempt-failure.ts';
import { resolveHost, type ResolveOptions } from './resolve.ts';

/** How many addresses of one name are tried; the rest of a long answer is not knocked at. */
const MAX_DIALLED = 6;

/**
 * The addresses that may be dialled for a host, which is a name or an address written out. One
 * address that is not public refuses them all: a name that mixes both is set up to be chanced
 * upon. Throws an {@link AttemptFailure} when there is nothing to dial.
 */
export async function vettedAddresses(
  host: string,
  isPublic: (ip: string) => boolean,
  options: ResolveOptions,
): Promise<string[]> {
  const addresses = isIP(host) ? [host] : await lookUp(host, options);
  if (!addresses.every((address) => isPublic(address))) throw new AttemptFailure('address_refused');
  return addresses.slice(0, MAX_DIALLED);
}

async function lookUp(host: string, options: ResolveOptions): Promise<string[]> {
  const resolution = await resolveHost(host, options);
  if (resolution.kind === 'none') throw new AttemptFailure('dns_not_found');
  if (resolution.kind === 'unavailable') throw new AttemptFailure('dns_failed');
  return resolution.addresses;
}
