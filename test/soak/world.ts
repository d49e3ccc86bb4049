import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../src/engine/engine-options.ts';
import { readRecord } from '../../src/engine/instance-record.ts';
import { startEngine } from '../../src/engine/start-engine.ts';
import { createLog } from '../../src/log.ts';
import { createStack } from '../../src/stack.ts';
import { startProcess, type ServiceProcess } from '../deployment/service-process.ts';
import { TEST_KEY } from '../support/config.ts';
import { startTestReceiver, type TestReceiver } from '../support/receiver.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

/** From when to when something was down, in milliseconds since the epoch. */
export interface Outage {
  what: 'worker' | 'Temporal';
  from: number;
  to: number;
}

/** The service in the larger shape, on servers that can be killed. */
export interface World {
  records: TestRecords;
  receiver: TestReceiver;
  temporalAddress(): string;
  outages: Outage[];
  killWorker(index: number): Promise<void>;
  killTemporal(): Promise<void>;
  close(): Promise<void>;
}

export const WORKERS = 2;

/** Brings up a Temporal of this world's own, and workers as processes. */
export async function createWorld(cacheDir: string, env: Record<string, string>): Promise<World> {
  const stack = createStack();
  const log = createLog('silent');
  const records = await createTestRecords();
  stack.push(() => records.close());
  const receiver = await startTestReceiver();
  stack.push(() => receiver.close());
  const dataDir = await mkdtemp(join(tmpdir(), 'lead-events-soak-'));
  stack.push(() => rm(dataDir, { recursive: true, force: true }));
  const startTemporal = (): Promise<Engine> =>
    startEngine({
      ...{ dataDir, cacheDir, log, databaseUrl: records.url, progress: () => undefined },
      temporal: { headless: true },
    });
  let temporal = await startTemporal();
  stack.push(() => temporal.stop());
  const outages: Outage[] = [];

  const startWorker = async (): Promise<ServiceProcess> => {
    const worker = startProcess(['worker'], {
      DATABASE_URL: records.url,
      TEMPORAL_ADDRESS: temporal.temporalAddress,
      SECRET_KEY: TEST_KEY.toString('hex'),
      DEV_ENDPOINT_ORIGINS: receiver.origin,
      DATA_DIR: dataDir,
      METRICS_PORT: '0',
      LOG_LEVEL: 'error',
      ...env,
    });
    await worker.says(/Worker and relay are running/);
    return worker;
  };
  const workers = await Promise.all(Array.from({ length: WORKERS }, startWorker));
  stack.push(async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    await Promise.all(workers.map(({ exited }) => exited));
  });

  async function during(what: Outage['what'], work: () => Promise<void>): Promise<void> {
    const outage: Outage = { what, from: Date.now(), to: Infinity };
    outages.push(outage);
    await work();
    outage.to = Date.now();
  }

  return {
    ...{ records, receiver, outages },
    temporalAddress: () => temporal.temporalAddress,
    killWorker: (index) =>
      during('worker', async () => {
        workers[index]!.kill('SIGKILL');
        await workers[index]!.exited;
        // It says so only when Temporal is there.
        workers[index] = await startWorker();
      }),
    killTemporal: () =>
      during('Temporal', async () => {
        const server = readRecord(dataDir)?.children.find(({ name }) => name === 'Temporal');
        if (server) process.kill(server.pid, 'SIGKILL');
        await temporal.stop();
        temporal = await startTemporal();
      }),
    close: () => stack.close(),
  };
}
