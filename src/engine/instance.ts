import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { conflict, unavailable } from '../errors.ts';
import type { EngineLog } from './engine-context.ts';
import { claim } from './instance-claim.ts';
import { instancePath, writeAtomically, type InstanceRecord } from './instance-record.ts';
import { identify } from './process-identity.ts';

/** Our hold on a data directory, and the record that tells others about it. */
export class Instance {
  readonly dataDir: string;
  /** What the instance before us left: its ports, and perhaps its orphans. */
  readonly previous: InstanceRecord | undefined;
  readonly #log: EngineLog;
  #record: InstanceRecord;

  constructor(
    dataDir: string,
    record: InstanceRecord,
    previous: InstanceRecord | undefined,
    log: EngineLog,
  ) {
    this.dataDir = dataDir;
    this.previous = previous;
    this.#record = record;
    this.#log = log;
    // Until they are ended, nobody but this record knows the orphans.
    if (previous) this.update({ children: previous.children, ports: previous.ports });
  }

  /** Changes some of the record, on disk too. Never throws. */
  update(change: Partial<Omit<InstanceRecord, 'id' | 'owner'>>): void {
    this.#record = { ...this.#record, ...change };
    try {
      writeAtomically(instancePath(this.dataDir), JSON.stringify(this.#record, null, 2));
    } catch (error) {
      // A full disk or a deleted data directory must not keep us from ending what we started.
      this.#log.error({ err: error }, 'the instance file cannot be written');
    }
  }

  /** Notes a process that was started, in place of an earlier one of the same name. */
  addChild(name: string, pid: number): void {
    const identity = identify(pid);
    if (identity === undefined) return;
    const others = this.#record.children.filter((child) => child.name !== name);
    this.update({ children: [...others, { name, ...identity }] });
  }

  /** Gives the data directory up; the ports stay on record for the next start. */
  release(): void {
    const nothing = { databaseUrl: null, temporalAddress: null, temporalUiUrl: null };
    this.update({ state: 'stopped', children: [], ...nothing });
  }
}

const WAIT_LIMIT_MS = 60_000;
const POLL_MS = 100;

/**
 * Takes hold of a data directory. Waits for a command that uses it for a moment, or an instance
 * that is stopping; throws `conflict` when a service runs on it, and the signal's reason when
 * aborted.
 */
export async function acquireInstance(
  dataDir: string,
  purpose: InstanceRecord['purpose'],
  options: { signal: AbortSignal; progress: (message: string) => void; log: EngineLog },
): Promise<Instance> {
  const owner = identify(process.pid);
  if (owner === undefined) throw unavailable('This system does not tell when a process started.');
  const limit = Date.now() + WAIT_LIMIT_MS;
  for (let waiting = false; ; waiting = true) {
    options.signal.throwIfAborted();
    const record: InstanceRecord = {
      ...{ id: randomUUID(), owner, since: new Date().toISOString(), state: 'starting', purpose },
      ...{ ports: {}, children: [] },
      ...{ databaseUrl: null, temporalAddress: null, temporalUiUrl: null },
    };
    const outcome = claim(instancePath(dataDir), record);
    if (outcome.won) return new Instance(dataDir, record, outcome.previous, options.log);
    const { holder } = outcome;
    const passing = holder.purpose === 'command' || holder.state === 'stopping';
    if (!passing || Date.now() > limit) {
      throw conflict(
        `It runs already on ${dataDir}: process ${holder.owner.pid}, since ${holder.since}. ` +
          'Stop that one first, or choose another DATA_DIR.',
      );
    }
    if (!waiting) options.progress(`Waiting for process ${holder.owner.pid} to finish …`);
    await delay(POLL_MS);
  }
}
