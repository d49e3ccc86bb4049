import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
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
  what: 'worker' | 'Temporal' | 'database';
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
  /** Has PostgreSQL end about this share of all connections to the database, whoever's they are. */
  cutConnections(share: number): Promise<void>;
  /** Everything that the workers and Temporal have logged so far. */
  readLogs(): Promise<string>;
  close(): Promise<void>;
}

export const WORKERS = 2;

/** By which the connection that ends others is spared. */
const CUTTER = 'soak cutter';

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
  const admin = postgres(records.url, { max: 1, connection: { application_name: CUTTER } });
  stack.push(() => admin.end());
  const started: ServiceProcess[] = [];

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
    started.push(worker);
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
    cutConnections: (share) =>
      during('database', async () => {
        await admin`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name <> ${CUTTER}
            and random() < ${share}`;
      }),
    async readLogs() {
      const folder = join(dataDir, 'logs');
      const files = (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8'));
      const said = started.flatMap(({ stdout, stderr }) => [stdout, stderr]);
      return [...said, ...(await Promise.all(files))].join('\n');
    },
    close: () => stack.close(),
  };
}
