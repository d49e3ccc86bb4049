import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { table } from '../../src/commands/table.ts';
import { readConfig } from '../../src/config.ts';
import { startEngine } from '../../src/engine/start-engine.ts';
import { createLog } from '../../src/log.ts';
import { cpuByPart } from './cpu.ts';
import { median, percentile, round } from './figures.ts';
import { startHangingReceiver } from './hanging-receiver.ts';
import { machine } from './machine.ts';
import { now } from './messages.ts';
import { startBenchReceiver, waits } from './receiver.ts';
import { runService, type BenchCustomer } from './running-service.ts';

/*
 * npm run bench:isolation: one account's endpoint hangs on every request, and a thousand events
 * are queued for it; how long do events of another account take meanwhile, from the acknowledged
 * commit to the first byte? Every round measures it without that endpoint first, then while the
 * thousand are handed to Temporal, then while they wait for the endpoint; then the endpoint
 * recovers, and the time until everything has reached it is measured too. Progress goes to standard
 * error; the table and one line of JSON to standard output.
 */
const ROUNDS = Number(process.env['BENCH_ISOLATION_ROUNDS'] ?? 2);
const QUEUED = Number(process.env['BENCH_QUEUED'] ?? 1_000);
const PACED = Number(process.env['BENCH_ISOLATION_PACED'] ?? 1_200);
/** It takes about so long to hand the thousand to Temporal. */
const PACED_MEANWHILE = 200;
const PER_SECOND = 20;
/** What the p99 may become, as a multiple of what it is without that endpoint. */
const ALLOWED = 1.5;
/** The longest that anything is waited for. */
const PATIENCE_MS = 420_000;

const PHASES = {
  baseline: 'without that endpoint',
  queueing: 'while they queue up',
  waiting: 'while they wait for it',
} as const;
type Phase = keyof typeof PHASES;

// Ended from outside: the servers go with us, and their data.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const say = (message: string): void => void process.stderr.write(`${message}\n`);
/** The servers write for some seconds after a burst; the next measurement must not pay for it. */
const settle = (): Promise<void> => delay(5_000);
const dataDir = await mkdtemp(join(tmpdir(), 'lead-events-bench-'));
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
const engine = await startEngine({
  dataDir,
  cacheDir: readConfig(process.env).cacheDir,
  progress: say,
  log: createLog('warn'),
  temporal: { headless: true },
});
const receiver = await startBenchReceiver();
const hanging = await startHangingReceiver();
try {
  const connection = await Connection.connect({ address: engine.temporalAddress });
  const { workflow } = new Client({ connection });
  const service = await runService(engine, [receiver.url, hanging.url]);
  const { sql } = service.database;
  const healthy = await service.newCustomer(`${receiver.url}/healthy`);
  const samples: Record<Phase, number[]> = { baseline: [], queueing: [], waiting: [] };
  const rounds: Record<string, number>[] = [];

  /** Milliseconds from commit to first byte at the healthy endpoint. */
  const paced = async (phase: Phase, count: number): Promise<Record<string, number>> => {
    const before = cpuByPart();
    const startedAt = now();
    const arrived = receiver.collect(count);
    const committed = await healthy.commitPaced(count, PER_SECOND);
    const taken = waits(committed, (await arrived).arrivals);
    const seconds = (now() - startedAt) / 1000;
    const load = Object.entries(cpuByPart())
      .map(([part, ms]) => [part, (ms - (before[part as keyof typeof before] ?? 0)) / seconds / 10])
      .filter(([, percent]) => Number(percent) >= 1);
    say(
      `  ${PHASES[phase]}: p50 ${round(median(taken))} ms, p99 ${round(percentile(taken, 0.99))} ms; processor: ${load.map(([part, percent]) => `${part} ${round(Number(percent), 0)} %`).join(', ')}`,
    );
    samples[phase].push(...taken);
    return { [`${phase}_p99_ms`]: round(percentile(taken, 0.99)) };
  };

  /** Seconds from then until it is so. */
  const secondsUntil = async (what: string, from: number, isSo: () => Promise<boolean>) => {
    while (!(await isSo())) {
      if (now() - from > PATIENCE_MS) throw new Error(`Waited in vain until ${what}.`);
      await delay(200);
    }
    const seconds = round((now() - from) / 1000);
    say(`  ${what} after ${seconds} s`);
    return seconds;
  };

  const allHandedOver = async (customer: BenchCustomer): Promise<boolean> => {
    const [row] = await sql`
      select 1 from outbox where account_id = ${customer.accountId} and task = 'event' limit 1`;
    return row === undefined;
  };
  const noneUnderWay = async (): Promise<boolean> =>
    (await workflow.count("WorkflowType = 'deliverEvent' and ExecutionStatus = 'Running'"))
      .count === 0;

  say('warming up');
  const warm = receiver.collect(200);
  await healthy.commitAtOnce(200);
  await warm;
  await settle();

  for (let i = 1; i <= ROUNDS; i += 1) {
    say(`round ${i}/${ROUNDS}`);
    const figures = await paced('baseline', PACED);
    hanging.hang();
    const customer = await service.newCustomer(`${hanging.url}/hanging`);
    const committedAt = await customer.commitAtOnce(QUEUED);
    const queued = secondsUntil('all are handed to Temporal', committedAt, () =>
      allHandedOver(customer),
    );
    Object.assign(figures, await paced('queueing', PACED_MEANWHILE));
    const queuedSeconds = await queued;
    await settle();
    Object.assign(figures, await paced('waiting', PACED));
    say(`  ${hanging.arrived} of ${QUEUED} had their first attempt; the endpoint recovers`);
    hanging.recover();
    const drainedSeconds = await secondsUntil('all have arrived', now(), () =>
      Promise.resolve(hanging.arrived === QUEUED),
    );
    rounds.push({ ...figures, queued_s: queuedSeconds, drained_s: drainedSeconds });
    await customer.leave();
    await secondsUntil('all workflows are done', now(), noneUnderWay);
    await settle();
  }
  await service.stop();
  await connection.close();

  const baselineP99 = percentile(samples.baseline, 0.99);
  const results = (Object.keys(PHASES) as Phase[]).map((phase) => ({
    phase,
    events: samples[phase].length,
    p50_ms: round(percentile(samples[phase], 0.5)),
    p95_ms: round(percentile(samples[phase], 0.95)),
    p99_ms: round(percentile(samples[phase], 0.99)),
    p99_ratio: round(percentile(samples[phase], 0.99) / baselineP99, 2),
  }));
  const held = results.every((r) => r.phase !== 'waiting' || r.p99_ratio <= ALLOWED);
  const rows = results.map((r) => [
    ...[PHASES[r.phase], String(r.p50_ms), String(r.p95_ms), String(r.p99_ms)],
    String(r.p99_ratio),
  ]);
  const each = (of: string): string => rounds.map((figures) => `${figures[of]} s`).join(', ');
  process.stdout.write(
    `${machine()}\n${PER_SECOND} events a second to a healthy endpoint, beside ${QUEUED} of another account for one that hangs on every request; ${ROUNDS} rounds\n\n${table(['', 'p50 ms', 'p95 ms', 'p99 ms', 'p99 ratio'], rows)}\n\np99 while they wait: ${held ? 'within' : 'NOT within'} ${ALLOWED} times its value without that endpoint\nhanded to Temporal after ${each('queued_s')}: meanwhile ${QUEUED} workflows start, which keeps the processors busy whatever they are for\nall had arrived ${each('drained_s')} after the endpoint recovered\n\n`,
  );
  process.stdout.write(
    `${JSON.stringify({ machine: machine(), queued: QUEUED, per_second: PER_SECOND, allowed: ALLOWED, held, results, rounds })}\n`,
  );
  // A figure that is not held is a failure of the command.
  if (!held) process.exitCode = 1;
} finally {
  await hanging.stop();
  await receiver.stop();
  await engine.stop();
}
