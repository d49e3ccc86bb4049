import type { Client } from '@temporalio/client';
import type { Database } from '../db/client.ts';
import { errorMessage } from '../errors.ts';
import type { Logger } from '../log.ts';
import { claimEvents, type ClaimedEvent } from './claim-events.ts';
import { listenForEvents } from './listen.ts';
import { createMarker } from './marker.ts';
import { requeueOverdue } from './reconcile.ts';
import { removeStarted } from './settle-events.ts';
import { releaseFailed } from './release-failed.ts';
import { startErrorKind } from './start-error.ts';
import { startDelivery } from './start-delivery.ts';
import { createWaker } from './waker.ts';

export interface RelayOptions {
  taskQueue: string;
  /** Starts under way at once. */
  maxStarting?: number;
  /** How long a claim lasts when its relay dies. */
  leaseMs?: number;
  /** The longest wait between looks at the queue; NOTIFY only shortens it. */
  pollMs?: number;
  /** How often overdue deliveries are looked for. */
  reconcileMs?: number;
  overdueAfterMs?: number;
}

export interface RelayDependencies {
  database: Database;
  client: Client;
  log: Logger;
  /** Makes Temporal ready for this service, when it turns out to know nothing of it. */
  prepare: () => Promise<void>;
}

export interface Relay {
  /** Stops claiming, and waits for the starts under way. */
  stop(): Promise<void>;
}

/**
 * Takes committed events from the outbox and starts their workflows. Any number of relays may run;
 * none holds a transaction across a call to Temporal, and an event that cannot be started is put
 * back with a wait and holds no other up.
 */
export function startRelay(
  { database, client, log, prepare }: RelayDependencies,
  options: RelayOptions,
): Relay {
  const { db } = database;
  const { maxStarting = 40, leaseMs = 10_000, pollMs = 1_000, reconcileMs = 30_000 } = options;
  const starting = new Set<Promise<void>>();
  const waker = createWaker();
  const marker = createMarker((ids) => removeStarted(db, ids), log);
  let stopping = false;
  let preparing: Promise<void> | undefined;
  let lastReconciled = 0;
  const listener = listenForEvents(database.url, waker.wake, log);
  const loop = run();

  return {
    async stop() {
      stopping = true;
      waker.wake();
      await loop;
      await Promise.allSettled(starting);
      await marker.flush();
      await listener.stop();
    },
  };

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        await reconcileWhenDue();
        const moreWaiting = await claimWhatFits();
        await (moreWaiting ? halfStarted() : waker.wait(pollMs));
      } catch (error) {
        log.warn(
          { error: errorMessage(error) },
          'relay: the database did not answer, trying again',
        );
        await waker.wait(pollMs);
      }
    }
  }

  /** A full claim means that more is waiting; claims of some size cost less than many small ones. */
  async function halfStarted(): Promise<void> {
    while (starting.size > maxStarting / 2) await Promise.race(starting);
  }

  /** True when there was at least as much to claim as there was room for. */
  async function claimWhatFits(): Promise<boolean> {
    const room = maxStarting - starting.size;
    if (room <= 0) return true;
    const events = await claimEvents(db, room, leaseMs);
    for (const event of events) {
      const started = start(event).finally(() => starting.delete(started));
      starting.add(started);
    }
    return events.length >= room;
  }

  async function start(event: ClaimedEvent): Promise<void> {
    try {
      if (event.branches.length > 0) await startDelivery(client, options.taskQueue, event);
      marker.add(event.eventId);
    } catch (error) {
      log.warn({ eventId: event.eventId, error: errorMessage(error) }, 'workflow not started');
      await release(event, error).catch((fault: unknown) => {
        // The lease brings it back.
        log.warn({ eventId: event.eventId, error: errorMessage(fault) }, 'claim not released');
      });
    }
  }

  async function release(event: ClaimedEvent, error: unknown): Promise<void> {
    await releaseFailed(db, event, error);
    if (startErrorKind(error) === 'unprepared') await prepareOnce();
  }

  /** However many events found it unprepared. */
  async function prepareOnce(): Promise<void> {
    preparing ??= prepare().finally(() => (preparing = undefined));
    await preparing;
  }

  async function reconcileWhenDue(): Promise<void> {
    if (Date.now() - lastReconciled < reconcileMs) return;
    lastReconciled = Date.now();
    const overdue = await requeueOverdue(db, options.overdueAfterMs);
    if (overdue > 0) log.info({ overdue }, 'overdue deliveries handed to Temporal again');
  }
}
