import { setTimeout as delay } from 'node:timers/promises';
import { AppError, unavailable } from '../errors.ts';
import type { Database, InstanceOptions } from './engine-options.ts';
import { isHeld, readRecord, type InstanceRecord } from './instance-record.ts';
import { openInstance } from './open-instance.ts';
import { answersQueries, startPostgres } from './postgres-server.ts';

const POLL_MS = 200;
const ANSWER_LIMIT_MS = 30_000;

/**
 * The database of a data directory, for a command: that of the instance running on it (waiting for
 * one that starts or stops), else PostgreSQL started until `stop` is called. Throws `unavailable`
 * when it cannot be had, and the signal's reason when aborted.
 */
export async function useDatabase(options: InstanceOptions): Promise<Database> {
  const { databaseUrl, dataDir, progress, signal } = options;
  const waitsFor = new Set<string>();
  for (;;) {
    signal?.throwIfAborted();
    const holder = runningService(dataDir);
    if (databaseUrl) return borrow(databaseUrl, holder);
    if (holder === undefined) {
      const started = await startForCommand(options);
      if (started) return started;
    } else if (holder.databaseUrl !== null && holder.state !== 'stopping') {
      return borrow(await answering(holder, holder.databaseUrl, signal), holder);
    } else if (!waitsFor.has(holder.id)) {
      waitsFor.add(holder.id);
      progress(`Waiting for process ${holder.owner.pid}, which is ${holder.state} …`);
    }
    await delay(POLL_MS);
  }
}

function borrow(databaseUrl: string, holder: InstanceRecord | undefined): Database {
  const stop = async (): Promise<void> => undefined;
  return { databaseUrl, temporalAddress: holder?.temporalAddress ?? null, stop };
}

function runningService(dataDir: string): InstanceRecord | undefined {
  const record = readRecord(dataDir);
  return isHeld(record) && record.purpose === 'service' ? record : undefined;
}

/** Its server may just be restarting after a crash, so it has a while to answer. */
async function answering(
  holder: InstanceRecord,
  databaseUrl: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const end = Date.now() + ANSWER_LIMIT_MS;
  while (!(await answersQueries(databaseUrl))) {
    signal?.throwIfAborted();
    if (Date.now() > end) {
      throw unavailable(
        `The database of the running instance (process ${holder.owner.pid}) does not answer.`,
      );
    }
    await delay(POLL_MS);
  }
  return databaseUrl;
}

/** Undefined when a service was faster in taking the data directory. */
async function startForCommand(options: InstanceOptions): Promise<Database | undefined> {
  let opened: Awaited<ReturnType<typeof openInstance>>;
  try {
    opened = await openInstance(options, 'command');
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return undefined;
    throw error;
  }
  const { instance, context } = opened;
  try {
    const server = await startPostgres(context, instance.previous?.ports.postgres);
    instance.update({ state: 'running', databaseUrl: server.databaseUrl });
    let stopped: Promise<void> | undefined;
    const end = async (): Promise<void> => {
      instance.update({ state: 'stopping' });
      await server.stop();
      instance.release();
    };
    const stop = async (): Promise<void> => await (stopped ??= end());
    return { databaseUrl: server.databaseUrl, temporalAddress: null, stop };
  } catch (error) {
    instance.release();
    throw error;
  }
}
