import { mkdtemp, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { readConfig } from '../../src/config.ts';
import { startEngine } from '../../src/engine/start-engine.ts';
import { createLog } from '../../src/log.ts';
import { table } from '../../src/commands/table.ts';
import { startBareEngine } from './bare-engine.ts';
import { cpuByPart, type Part } from './cpu.ts';
import { median, percentile, round } from './figures.ts';
import type { Contestant } from './contestant.ts';
import { machine } from './machine.ts';
import { now } from './messages.ts';
import { startBenchReceiver } from './receiver.ts';
import { startService } from './service.ts';

/*
 * npm run bench: this service beside the bare engine, in turn, in one run on one server. Progress
 * goes to standard error; the table and one line of JSON to standard output.
 */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const BURST = Number(process.env['BENCH_BURST'] ?? 2_000);
const PACED = Number(process.env['BENCH_PACED'] ?? 400);
const PER_SECOND = 20;
/** Endpoints have a workflow that runs as long as they exist. */
const UNDER_WAY = "ExecutionStatus = 'Running' and WorkflowType != 'endpointHealth'";

interface Rate {
  arrived: number;
  done: number;
}

// Ended from outside: the servers go with us.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** The servers write for some seconds after a burst; the next measurement must not pay for it. */
const settle = (): Promise<void> => delay(5_000);

const say = (message: string): void => void process.stderr.write(`${message}\n`);
const dataDir = await mkdtemp(join(tmpdir(), 'lead-events-bench-'));
const engine = await startEngine({
  dataDir,
  cacheDir: readConfig(process.env).cacheDir,
  progress: say,
  log: createLog('warn'),
  temporal: { headless: true },
});
const receiver = await startBenchReceiver();
try {
  const connection = await Connection.connect({ address: engine.temporalAddress });
  const { workflow } = new Client({ connection });
  /** Deliveries a second: until the last has arrived, and until every workflow is done as well. */
  const burstRate = async (contestant: Contestant, count: number): Promise<Rate> => {
    const { startedAt, arrivedAt } = await contestant.burst(count);
    let doneAt = arrivedAt;
    while ((await workflow.count(UNDER_WAY)).count > 0) {
      await delay(50);
      doneAt = now();
    }
    const perSecond = (at: number): number => (count * 1000) / (at - startedAt);
    return { arrived: perSecond(arrivedAt), done: perSecond(doneAt) };
  };
  const contestants: Contestant[] = [
    await startBareEngine(engine.temporalAddress, receiver),
    await startService(engine, receiver),
  ];
  const results = [];
  for (const contestant of contestants) {
    say(`${contestant.name}: warming up`);
    await burstRate(contestant, 200);
  }
  const cpu = new Map<string, Partial<Record<Part, number>>>();
  const addCpu = (name: string, before: Partial<Record<Part, number>>): void => {
    const spent = cpu.get(name) ?? {};
    for (const [part, ms] of Object.entries(cpuByPart()) as [Part, number][]) {
      spent[part] = (spent[part] ?? 0) + (ms - (before[part] ?? 0)) / (BURST * ROUNDS);
    }
    cpu.set(name, spent);
  };
  const bursts = new Map<string, Rate[]>();
  const latencies = new Map<string, number[]>();
  for (let i = 1; i <= ROUNDS; i += 1) {
    for (const contestant of contestants) {
      await settle();
      const before = cpuByPart();
      const rate = await burstRate(contestant, BURST);
      addCpu(contestant.name, before);
      say(
        `round ${i}/${ROUNDS}  ${contestant.name}: ${round(rate.arrived)} a second arrived, ${round(rate.done)} done`,
      );
      bursts.set(contestant.name, [...(bursts.get(contestant.name) ?? []), rate]);
    }
    for (const contestant of contestants) {
      await settle();
      const samples = await contestant.paced(PACED, PER_SECOND);
      say(
        `round ${i}/${ROUNDS}  ${contestant.name}: p50 ${round(median(samples))} ms, p99 ${round(percentile(samples, 0.99))} ms`,
      );
      latencies.set(contestant.name, [...(latencies.get(contestant.name) ?? []), ...samples]);
    }
  }
  for (const { name } of contestants) {
    const rates = bursts.get(name) ?? [];
    const samples = latencies.get(name) ?? [];
    results.push({
      name,
      arrived_per_second: round(median(rates.map(({ arrived }) => arrived))),
      done_per_second: round(median(rates.map(({ done }) => done))),
      rounds: rates.map(({ arrived, done }) => ({ arrived: round(arrived), done: round(done) })),
      p50_ms: round(percentile(samples, 0.5)),
      p95_ms: round(percentile(samples, 0.95)),
      p99_ms: round(percentile(samples, 0.99)),
      cpu_ms_per_delivery: Object.fromEntries(
        Object.entries(cpu.get(name) ?? {})
          .map(([part, ms]) => [part, round(ms, 2)] as const)
          .filter(([, ms]) => ms >= 0.1),
      ),
    });
  }
  for (const contestant of contestants) await contestant.stop();
  await connection.close();
  const [bare, ours] = results;
  const ratio = (of: 'arrived_per_second' | 'done_per_second'): number =>
    round((ours?.[of] ?? NaN) / (bare?.[of] ?? NaN), 2);
  const ratios = { arrived: ratio('arrived_per_second'), done: ratio('done_per_second') };
  const rows = results.map((r) => [
    ...[
      r.name,
      String(r.arrived_per_second),
      String(r.done_per_second),
      String(r.p50_ms),
      String(r.p95_ms),
      String(r.p99_ms),
    ],
  ]);
  const headings = ['', 'arrived/s', 'done/s', 'p50 ms', 'p95 ms', 'p99 ms'];
  const cpuLines = results
    .map(
      (r) =>
        `  ${r.name}: ${Object.entries(r.cpu_ms_per_delivery)
          .map(([part, ms]) => `${part} ${ms}`)
          .join(', ')}`,
    )
    .join('\n');
  process.stdout.write(
    `${machine()}\nburst of ${BURST}, ${ROUNDS} rounds (median); latency at ${PER_SECOND} a second over ${PACED * ROUNDS} events\n\n${table(headings, rows)}\n\nthroughput beside the bare engine: ${ratios.arrived} arrived, ${ratios.done} done\n\nprocessor time in ms a delivery, in bursts\n${cpuLines}\n\n`,
  );
  process.stdout.write(
    `${JSON.stringify({ machine: machine(), burst: BURST, per_second: PER_SECOND, results, ratios })}\n`,
  );
} finally {
  await receiver.stop();
  await engine.stop();
  await rm(dataDir, { recursive: true, force: true });
}
