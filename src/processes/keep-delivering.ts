import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '../errors.ts';
import { NOT_STARTED, type DeliveryCheck } from '../operations/readiness.ts';
import {
  startDeliveryService,
  type DeliveryService,
  type DeliveryServiceOptions,
} from './delivery-service.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

export interface Keeper {
  /** Resolves when the worker and the relay run for the first time; never, if they never do. */
  ready: Promise<void>;
  /** How it is now: while no service runs, one is being started. */
  check(): Promise<DeliveryCheck>;
  stop(): Promise<void>;
}

/**
 * Keeps a delivery service running: while Temporal is away it is tried again, and a worker that
 * ends by itself is followed by a new one. Nothing is lost meanwhile, since events wait in Postgres.
 */
export function keepDelivering(options: DeliveryServiceOptions): Keeper {
  const stopping = new AbortController();
  let current: DeliveryService | undefined;
  let markReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => (markReady = resolve));
  const loop = run();
  return {
    ready,
    async check() {
      const { temporal, worker } = (await current?.check()) ?? NOT_STARTED;
      return { temporal, worker: stopping.signal.aborted ? 'stopping' : worker };
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };

  async function run(): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (!stopping.signal.aborted) {
      try {
        const service = await startDeliveryService(options);
        current = service;
        markReady();
        waitMs = FIRST_WAIT_MS;
        const stop = (): void => void service.stop().catch(() => undefined);
        if (stopping.signal.aborted) stop();
        stopping.signal.addEventListener('abort', stop, { once: true });
        await service.finished.finally(() => {
          current = undefined;
          stopping.signal.removeEventListener('abort', stop);
        });
      } catch (error) {
        options.log.warn(
          { error: errorMessage(error) },
          `not delivering (Temporal at ${options.temporalAddress}), trying again`,
        );
        await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
      }
    }
  }
}
