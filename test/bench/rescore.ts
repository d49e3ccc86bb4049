import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { table } from '../../src/commands/table.ts';
import { createGuardedClient } from '../../src/db/guarded-client.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { useDatabase } from '../../src/engine/use-database.ts';
import { createLog } from '../../src/log.ts';
import { startChild } from './child.ts';
import { round } from './figures.ts';
import { changeSignals, fillAccounts, fillParcels } from './rescore-world.ts';
import type { FromRescorer } from './messages.ts';

/*
 * npm run bench:rescore: a whole rescore, beside one bare UPDATE that writes the same columns of the
 * same rows from scores that were computed before, on a PostgreSQL of its own with default settings.
 * Both begin on a table that has just been vacuumed. Nothing is delivered. Progress goes to standard
 * error; a table and one line of JSON to standard output. It needs some gigabytes in TMPDIR.
 */
const SIZE = {
  parcels: Number(process.env['BENCH_PARCELS'] ?? 1_000_000),
  accounts: Number(process.env['BENCH_ACCOUNTS'] ?? 200),
  leadsPerAccount: Number(process.env['BENCH_LEADS'] ?? 2_000),
};
const BATCH = Number(process.env['RESCORE_BATCH'] ?? 2_000);
const CAP = Number(process.env['RESCORE_CAP'] ?? 200);

const TABLES = ['parcels', 'held_leads', 'list_leads', 'lists', 'farms', 'watched_counties'];
const WRITTEN = ['score', 'announced_score', 'scored_on', 'lead_types'] as const;

const say = (message: string): void => void process.stderr.write(`${message}\n`);
// Ended from outside: the server goes with us, and its data.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const dataDir = await mkdtemp(join(tmpdir(), 'lead-events-bench-rescore-'));
const server = await useDatabase({ dataDir, progress: say, log: createLog('warn') });
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));

try {
  await migrateDatabase(server.databaseUrl);
  // One connection, for its temporary tables; its statements take as long as they need.
  const sql = createGuardedClient(server.databaseUrl, {
    ...{ max: 1, statementTimeoutMs: 0, maxLifetimeMs: 24 * 3_600_000 },
  });
  try {
    await measure(sql);
  } finally {
    await sql.end();
  }
} finally {
  await server.stop();
}

async function measure(sql: Sql): Promise<void> {
  say(`filling ${SIZE.parcels} parcels`);
  await fillParcels(sql, SIZE);
  say('a first rescore, with nobody to tell');
  await vacuum(sql);
  await rescore();
  // It was a week ago.
  await sql`update rescore_runs set day = day - 7`;
  say(`filling ${SIZE.accounts} accounts with ${SIZE.leadsPerAccount} leads each`);
  await fillAccounts(sql, SIZE);
  await changeSignals(sql);
  const columns = WRITTEN.join(', ');
  await sql.unsafe(`create unlogged table before as select id, ${columns} from parcels`);
  await vacuum(sql);

  say('the rescore');
  const run = await rescore();
  await sql.unsafe(`create unlogged table after as select id, ${columns} from parcels`);
  await write(sql, 'before');
  await vacuum(sql);

  say('the bare update');
  const bareSeconds = await write(sql, 'after');
  report(run, bareSeconds);
}

async function rescore(): Promise<FromRescorer> {
  const args = [server.databaseUrl, String(BATCH), String(CAP)];
  const child = startChild<never, FromRescorer>('rescore-process.ts', args);
  try {
    return await child.next('done');
  } finally {
    await child.stop();
  }
}

/** As autovacuum would in time: statistics, and room for new rows. */
async function vacuum(sql: Sql): Promise<void> {
  for (const name of TABLES) await sql.unsafe(`vacuum (analyze) ${name}`);
}

/** Writes what a table holds into the parcels; answers how long that took, in seconds. */
async function write(sql: Sql, from: string): Promise<number> {
  await sql.unsafe(`analyze ${from}`);
  const startedAt = performance.now();
  await sql.unsafe(
    `update parcels p set ${WRITTEN.map((name) => `${name} = t.${name}`).join(', ')}
     from ${from} t where p.id = t.id`,
  );
  return (performance.now() - startedAt) / 1000;
}

function report(run: FromRescorer, bareSeconds: number): void {
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const perSecond = round(run.parcels / run.seconds, 0);
  const barePerSecond = round(run.parcels / bareSeconds, 0);
  const figures = {
    ...{ machine, ...SIZE, batch: BATCH, cap: CAP },
    ...{ parcels: run.parcels, changed: run.changed, events: run.events },
    ...{ held_back: run.heldBack, summaries: run.summaries },
    ...{ seconds: round(run.seconds, 2), parcels_per_second: perSecond },
    events_per_second: round(run.events / run.seconds, 0),
    ...{ bare_seconds: round(bareSeconds, 2), bare_parcels_per_second: barePerSecond },
    ratio: round(perSecond / barePerSecond, 3),
    peak_rss_mb: round(run.peakMegabytes, 0),
    process_cpu_seconds: round(run.cpuSeconds, 1),
  };
  const rows = [
    ['rescore', String(figures.seconds), String(perSecond)],
    ['bare update', String(figures.bare_seconds), String(barePerSecond)],
  ];
  process.stdout.write(
    `${machine}\n${run.parcels} parcels, ${run.changed} changed; ${SIZE.accounts} accounts with ${SIZE.leadsPerAccount} leads and one endpoint each\n\n${table(['', 'seconds', 'parcels a second'], rows)}\n\nratio ${figures.ratio}; ${run.events} events (${figures.events_per_second} a second), ${run.heldBack} held back, ${run.summaries} summaries; peak memory of its process ${figures.peak_rss_mb} MB, processor time ${figures.process_cpu_seconds} s\n\n`,
  );
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
