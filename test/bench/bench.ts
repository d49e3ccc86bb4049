import { mkdtemp, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { startEngine } from '../../src/engine/start-engine.ts';
import { createLog } from '../../src/log.ts';
import { table } from '../../src/commands/table.ts';
import { startBareEngine } from './bare-engine.ts';
import { median, percentile, round } from './figures.ts';
import type { Contestant } from './contestant.ts';
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
  const contestants: Contestant[] = [
    await startBareEngine(engine.temporalAddress, receiver),
    await startService(engine, receiver),
  ];
  const results = [];
  for (const contestant of contestants) {
    say(`${contestant.name}: warming up`);
    await contestant.burst(200);
  }
  const bursts = new Map<string, number[]>();
  const latencies = new Map<string, number[]>();
  for (let i = 1; i <= ROUNDS; i += 1) {
    for (const contestant of contestants) {
      await settle();
      const rate = await contestant.burst(BURST);
      say(`round ${i}/${ROUNDS}  ${contestant.name}: ${round(rate)} deliveries a second`);
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
      deliveries_per_second: round(median(rates)),
      rounds: rates.map((rate) => round(rate)),
      p50_ms: round(percentile(samples, 0.5)),
      p95_ms: round(percentile(samples, 0.95)),
      p99_ms: round(percentile(samples, 0.99)),
    });
  }
  for (const contestant of contestants) await contestant.stop();
  const [bare, ours] = results;
  const ratio = round(
    (ours?.deliveries_per_second ?? NaN) / (bare?.deliveries_per_second ?? NaN),
    2,
  );
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const rows = results.map((r) => [
    ...[
      r.name,
      String(r.deliveries_per_second),
      String(r.p50_ms),
      String(r.p95_ms),
      String(r.p99_ms),
    ],
  ]);
  const headings = ['', 'deliveries/s', 'p50 ms', 'p95 ms', 'p99 ms'];
  process.stdout.write(
    `${machine}\nburst of ${BURST}, ${ROUNDS} rounds (median); latency at ${PER_SECOND} a second over ${PACED * ROUNDS} events\n\n${table(headings, rows)}\n\nthroughput ratio ${ratio}\n`,
  );
  process.stdout.write(
    `${JSON.stringify({ machine, burst: BURST, per_second: PER_SECOND, results, ratio })}\n`,
  );
} finally {
  await receiver.stop();
  await engine.stop();
  await rm(dataDir, { recursive: true, force: true });
}
