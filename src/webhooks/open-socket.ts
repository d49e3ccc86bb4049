import { once } from 'node:events';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';

/** How long one address may take before the next is tried beside it, in milliseconds. */
const NEXT_ADDRESS_AFTER_MS = 500;

/**
 * Connects to a port at the first of the given addresses that answers; without addresses the
 * system looks the host up. Rejects with the network's error, or when the signal aborts.
 */
export async function openTcp(
  target: { host: string; port: number; addresses?: readonly string[] | undefined },
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connectTcp({
    host: target.host,
    port: target.port,
    noDelay: true,
    signal,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    ...(target.addresses && { lookup: fixedLookup(target.addresses) }),
  });
  return ready(socket, 'connect');
}

/**
 * Speaks TLS 1.2 or later over a connected socket, with the certificate checked against the host
 * it was asked for. No session is kept or resumed.
 */
export async function openTls(
  tcp: Socket,
  host: string,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const socket = connectTls({
    socket: tcp,
    host,
    // A server name must be a name; for an address `host` alone decides which certificate fits.
    ...(!isIP(host) && { servername: host }),
    secureContext,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
  const abort = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', abort));
  return ready(socket, 'secureConnect');
}

/** Waits for the event; whatever goes wrong first destroys the socket and is thrown. */
async function ready<S extends Socket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
  // Errors that come when nobody listens any more must not end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, event);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Answers every look-up with the addresses that were checked, and no others. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const answer = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all) callback(null, answer);
    else callback(null, answer[0]?.address ?? '', answer[0]?.family);
  };
}
