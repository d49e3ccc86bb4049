import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { errorMessage } from '../errors.ts';
import type { Logger } from '../log.ts';
import { OUTBOX_CHANNEL } from './outbox-channel.ts';

const RETRY_MS = 1_000;

export interface Listener {
  stop(): Promise<void>;
}

/**
 * Calls `wake` whenever an event is committed. It holds a connection of its own, and listens again
 * whenever that is lost, for as long as it takes; the driver's own `listen` gives up when its first
 * try after a loss fails.
 */
export function listenForEvents(databaseUrl: string, wake: () => void, log: Logger): Listener {
  const stopping = new AbortController();
  let lost = (): void => undefined;
  const client = postgres(databaseUrl, {
    max: 1,
    fetch_types: false,
    keep_alive: 30,
    max_lifetime: null,
    onnotice: () => undefined,
    onclose: () => lost(),
    connection: { application_name: 'lead-events relay' },
    // Understood by the driver, though its types leave it out.
    ...{ onnotify: wake },
  });
  const loop = run();
  return {
    async stop() {
      stopping.abort();
      await client.end({ timeout: 1 });
      await loop;
    },
  };

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const closed = new Promise<void>((resolve) => (lost = resolve));
        await client.unsafe(`listen ${OUTBOX_CHANNEL}`);
        // Whatever was committed before this connection listened.
        wake();
        await closed;
      } catch (error) {
        if (!stopping.signal.aborted) {
          log.warn({ error: errorMessage(error) }, 'cannot listen for events, only polling');
        }
      }
      await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
}
