import type { Client } from '@temporalio/client';
import type { Database } from '../db/client.ts';
import { errorMessage } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { PausePolicy } from '../domain/health.ts';
import { claimTasks, type ClaimedTask } from './claim-tasks.ts';
import { listenForEvents } from './listen.ts';
import { createMarker } from './marker.ts';
import { requeueOverdue } from './reconcile.ts';
import { releaseFailed } from './release-failed.ts';
import { removeTold, type ClaimedVersion } from './settle-tasks.ts';
import { startErrorKind } from './start-error.ts';
import { tellTemporal } from './tell-temporal.ts';
import { createWaker } from './waker.ts';

export interface RelayOptions {
  taskQueue: string;
  pausePolicy: PausePolicy;
  /** Calls to Temporal under way at once. */
  maxStarting?: number;
  /** How long a claim lasts when its relay dies. */
  leaseMs?: number;
  /** The longest wait between looks at the queue; NOTIFY only shortens it. */
  pollMs?: number;
  /** How often what is overdue is looked for. */
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
 * Takes committed tasks from the outbox and tells Temporal: starts workflows, mostly. Any number of
 * relays may run; none holds a transaction across a call to Temporal, and a task that cannot be
 * told is put back with a wait and holds no other up.
 */
export function startRelay(
  { database, client, log, prepare }: RelayDependencies,
  options: RelayOptions,
): Relay {
  const { db } = database;
  const { maxStarting = 16, leaseMs = 10_000, pollMs = 1_000, reconcileMs = 30_000 } = options;
  const { taskQueue, pausePolicy } = options;
  const teller = { client, taskQueue, pausePolicy };
  const underWay = new Set<Promise<void>>();
  const waker = createWaker();
  const marker = createMarker<ClaimedVersion>((tasks) => removeTold(db, tasks), log);
  let stopping = false;
  let preparing: Promise<void> | undefined;
  let lastReconciled = 0;
  /** The account that was served last: the others come first next time. */
  let lastAccount: string | undefined;
  const listener = listenForEvents(database.url, waker.wake, log);
  const loop = run();

  return {
    async stop() {
      stopping = true;
      waker.wake();
      await loop;
      await Promise.allSettled(underWay);
      await marker.flush();
      await listener.stop();
    },
  };

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        await reconcileWhenDue();
        const moreWaiting = await claimWhatFits();
        await (moreWaiting ? halfDone() : waker.wait(pollMs));
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
  async function halfDone(): Promise<void> {
    while (underWay.size > maxStarting / 2) await Promise.race(underWay);
  }

  /** True when there may be more to claim than there was room for. */
  async function claimWhatFits(): Promise<boolean> {
    const room = maxStarting - underWay.size;
    if (room <= 0) return true;
    const tasks = await claimTasks(db, { limit: room, leaseMs, after: lastAccount });
    lastAccount = tasks.at(-1)?.accountId ?? lastAccount;
    for (const task of tasks) {
      const told = tell(task).finally(() => underWay.delete(told));
      underWay.add(told);
    }
    return tasks.some((task) => task.more);
  }

  async function tell(task: ClaimedTask): Promise<void> {
    const { key } = task;
    try {
      await tellTemporal(teller, task);
      marker.add(task);
    } catch (error) {
      log.warn({ key, error: errorMessage(error) }, 'Temporal could not be told');
      await release(task, error).catch((fault: unknown) => {
        // The lease brings it back.
        log.warn({ key, error: errorMessage(fault) }, 'claim not released');
      });
    }
  }

  async function release(task: ClaimedTask, error: unknown): Promise<void> {
    await releaseFailed(db, task, error);
    if (startErrorKind(error) === 'unprepared') await prepareOnce();
  }

  /** However many tasks found it unprepared. */
  async function prepareOnce(): Promise<void> {
    preparing ??= prepare().finally(() => (preparing = undefined));
    await preparing;
  }

  async function reconcileWhenDue(): Promise<void> {
    if (Date.now() - lastReconciled < reconcileMs) return;
    lastReconciled = Date.now();
    const overdue = await requeueOverdue(db, pausePolicy, options.overdueAfterMs);
    if (overdue > 0) log.info({ overdue }, 'what is overdue is told to Temporal again');
  }
}
