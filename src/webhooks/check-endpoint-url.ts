import { isIP } from 'node:net';
import { badRequest } from '../errors.ts';
import { isPublicAddress } from './address-guard.ts';
import { isDevOrigin, parseEndpointUrl, type EndpointUrlPolicy } from './endpoint-url.ts';
import { bareHost } from './host-rules.ts';
import { resolveHost, type ResolveOptions } from './resolve.ts';

/**
 * Checks an endpoint URL when it is created or edited: its text, then what its host resolves to
 * (spec §6.2). Throws a bad request on `url` when the host has no address, or any address that is
 * not public. When DNS cannot be asked the URL is accepted: that is our trouble, not the URL's,
 * and every delivery checks again before it connects. Returns the URL as it is to be stored.
 */
export async function checkEndpointUrl(
  raw: string,
  policy: EndpointUrlPolicy,
  options: ResolveOptions = {},
): Promise<URL> {
  const url = parseEndpointUrl(raw, policy);
  if (isDevOrigin(url, policy.devOrigins) || isIP(bareHost(url.hostname))) return url;

  const resolution = await resolveHost(url.hostname, options);
  options.signal?.throwIfAborted();
  if (resolution.kind === 'none') {
    throw badRequest('url', `The host name "${url.hostname}" does not exist or has no address.`);
  }
  if (resolution.kind === 'found' && !resolution.addresses.every(isPublicAddress)) {
    throw badRequest(
      'url',
      `The host name "${url.hostname}" leads to an address that is not public; only public addresses are allowed.`,
    );
  }
  return url;
}
