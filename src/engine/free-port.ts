import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { errorMessage } from '../errors.ts';

// Below the range from which systems take ports for outgoing connections (32768 on Linux, 49152 on
// macOS), so that such a connection does not sit on our port while a crashed server restarts.
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Whether 127.0.0.1:`port` can be listened on now. */
export async function isPortFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}

/**
 * A TCP port that is free on 127.0.0.1: `preferred` when it is, else any other outside `taken`.
 * Somebody else can still take it before it is used, so a server's start must be able to retry.
 */
export async function findFreePort(
  preferred: number | undefined,
  taken: ReadonlySet<number> = new Set(),
): Promise<number> {
  if (preferred !== undefined && !taken.has(preferred) && (await isPortFree(preferred))) {
    return preferred;
  }
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (!taken.has(port) && (await isPortFree(port))) return port;
  }
}

/**
 * Whether a server's start failed because somebody else took one of its ports after we had found
 * them free. `error` is expected to quote the end of the server's log.
 */
export async function lostPort(error: unknown, ports: readonly number[]): Promise<boolean> {
  if (/address already in use|could not bind/i.test(errorMessage(error))) return true;
  const free = await Promise.all(ports.map(isPortFree));
  return !free.every(Boolean);
}
