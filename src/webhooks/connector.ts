import type { Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { isPublicAddress } from './address-guard.ts';
import { AttemptFailure } from './attempt-failure.ts';
import { isDevOrigin } from './endpoint-url.ts';
import { openTcp, openTls } from './open-socket.ts';
import { vettedAddresses } from './vetted-addresses.ts';

/** What decides where connections may go and whom they trust. */
export interface ConnectorOptions {
  /** Exact origins that are connected to without a check of their addresses. */
  devOrigins: readonly string[];
  /** DNS servers in place of the system's. */
  dnsServers?: readonly string[] | undefined;
  /** One more certificate authority (PEM) beside the well-known ones. */
  ca?: string | undefined;
}

/**
 * For tests only, and never read from configuration: puts another judgement in the place of
 * {@link isPublicAddress}, so that connecting by name can be tried out on loopback addresses.
 */
export interface ConnectorTestOptions {
  isPublicAddress?: ((ip: string) => boolean) | undefined;
}

/** Makes the connection of one attempt: a fresh function for each, for its one signal. */
export type ConnectorFactory = (signal: AbortSignal) => buildConnector.connector;

/**
 * Makes connectors for undici that decide for each connection by themselves (spec §6.2): the
 * host, name or address, is resolved once, refused unless every address is public, and only those
 * addresses are dialled. A connector connects once; undici's own reconnecting finds it spent, so
 * that no second request can leave unnoticed.
 */
export function createConnectorFactory(
  options: ConnectorOptions,
  testOptions: ConnectorTestOptions = {},
): ConnectorFactory {
  const isPublic = testOptions.isPublicAddress ?? isPublicAddress;
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(options.ca !== undefined && { ca: [...rootCertificates, options.ca] }),
  });

  return (signal) => {
    let spent = false;
    return (target, callback) => {
      const socket = spent
        ? Promise.reject(new AttemptFailure('connection_reset'))
        : connect(target, { ...options, isPublic, secureContext, signal });
      spent = true;
      void socket.then(
        (open) => callback(null, open),
        (error: Error) => callback(error, null),
      );
    };
  };
}

interface ConnectContext extends ConnectorOptions {
  isPublic: (ip: string) => boolean;
  secureContext: SecureContext;
  signal: AbortSignal;
}

async function connect(target: buildConnector.Options, context: ConnectContext): Promise<Socket> {
  const { signal, isPublic, dnsServers } = context;
  const url = new URL(`${target.protocol}//${target.host ?? target.hostname}`);
  const isDev = isDevOrigin(url, context.devOrigins);
  const isTls = url.protocol === 'https:';
  if (!isDev && !isTls) throw new AttemptFailure('url_refused');

  const host = target.hostname;
  const port = Number(target.port || (isTls ? 443 : 80));
  const addresses = isDev
    ? undefined
    : await vettedAddresses(host, isPublic, { dnsServers, signal });
  const tcp = await openTcp({ host, port, addresses }, signal);
  // What the system says it reached has the last word, before a single byte is sent.
  if (!isDev && !isPublic(tcp.remoteAddress ?? '')) {
    tcp.destroy();
    throw new AttemptFailure('address_refused');
  }
  return isTls ? openTls(tcp, host, context.secureContext, signal) : tcp;
}
