import { rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { apiKeys } from '../../drizzle/schema.ts';
import { generateKey, hashKey } from '../../src/api-keys/key-text.ts';
import { table } from '../../src/commands/table.ts';
import { openDatabase, type Database, type Db } from '../../src/db/client.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { useDatabase } from '../../src/engine/use-database.ts';
import { findFreePort } from '../../src/engine/free-port.ts';
import { listLeads } from '../../src/leads/list-leads.ts';
import { createLog } from '../../src/log.ts';
import { appUrls } from '../../src/urls.ts';
import { startChild } from './child.ts';
import { explain } from './explain.ts';
import { median, percentile, round, welch } from './figures.ts';
import { fillParcels } from './fill-parcels.ts';
import { startLoadClient, type LoadClient } from './load.ts';
import { machine } from './machine.ts';
import { createWorld, type ReadApiWorld } from './read-api-world.ts';

/*
 * npm run bench:read-api: the Read API over a million parcels, as `lead-events api` serves it, beside
 * a bare Hono route with one prepared query. Progress goes to standard error; tables, plans and one
 * line of JSON to standard output.
 */
const PARCELS = Number(process.env['BENCH_PARCELS'] ?? 1_000_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const MEMORY_REQUESTS = Number(process.env['BENCH_MEMORY_REQUESTS'] ?? 100_000);
/**
 * Connections at once: one for how long an answer takes, more for how many there can be; as many as
 * keep both processors busy and do not only wait in line.
 */
const ONE = 1;
const LIGHT = 64;
const HEAVY = 8;
/** The bounds that the figures are held to. */
const LEAST_PING_SHARE = 0.7;
const MOST_LEADS_P99_MS = 50;

/** The server writes for a while after a burst; the next measurement must not pay for it. */
const settle = (): Promise<void> => delay(2_000);

const say = (message: string): void => void process.stderr.write(`${message}\n`);
// Ended from outside: the server goes with us, and its data.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const dataDir = await mkdtemp(join(tmpdir(), 'lead-events-bench-api-'));
const server = await useDatabase({ dataDir, progress: say, log: createLog('warn') });
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));

try {
  await migrateDatabase(server.databaseUrl);
  const database = openDatabase(server.databaseUrl, { max: 4, name: 'bench' });
  const client = await startLoadClient();
  try {
    await fillParcels(database.db, PARCELS, say);
    const world = await createWorld(database.db);
    await database.sql`vacuum (analyze) parcels`;
    await report(database, world, client);
  } finally {
    await client.stop();
    await database.close();
  }
} finally {
  await server.stop();
}

/** One thing to measure: its requests take turns at these paths. */
interface Contestant {
  name: string;
  origin: string;
  paths: string[];
  requests: number;
  /** Connections at once when it is asked as often as it can be. */
  connections: number;
}

async function report(database: Database, world: ReadApiWorld, client: LoadClient) {
  const port = await findFreePort(undefined);
  const api = startChild('../../src/main.ts', ['api'], {
    ...{ DATABASE_URL: server.databaseUrl, PORT: String(port), LOG_LEVEL: 'warn' },
  });
  const bare = startChild<never, { kind: 'listening'; port: number }>('./bare-api.ts', [
    ...[server.databaseUrl, world.accountId],
  ]);
  try {
    const { port: barePort } = await bare.next('listening');
    const contestants = contestantsOf(world, `http://127.0.0.1:${port}`, barePort);
    await answers(`http://127.0.0.1:${port}/readyz`);
    const before = await sequentialScans(database.db);
    const figures = await measureAll(database.db, world, client, contestants);
    const memory = await measureMemory(database.db, world, client, contestants, api.process.pid);
    const timing = await measureRefusals(database.db, world, client, contestants);
    const scans = (await sequentialScans(database.db)) - before;
    const plans = await explainLeads(database, world);
    print({ figures, memory, timing, scans, plans });
  } finally {
    await bare.stop();
    await api.stop();
  }
}

function contestantsOf(world: ReadApiWorld, origin: string, barePort: number): Contestant[] {
  const { listId, farmId, searchId } = world;
  // What people ask for: the first pages, and now and then a lead type or a tier.
  const pages = ['', '&offset=25', '&tier=warm', '&lead_type=vacant', '&limit=100'];
  const leads = (source: string) => pages.map((page) => `/v1/leads?${source}${page}`);
  const deals = ['', '&offset=500', '&status=CONTACTED'].map((page) => `/v1/deals?limit=25${page}`);
  const bare = `http://127.0.0.1:${barePort}`;
  const light = { paths: ['/v1/ping'], requests: 20_000, connections: LIGHT };
  const heavy = { origin, requests: 1_000, connections: HEAVY };
  return [
    { name: 'bare route', origin: bare, ...light },
    { name: '/v1/ping', origin, ...light },
    { name: '/v1/leads, list', ...heavy, paths: leads(`list_id=${listId}`) },
    { name: '/v1/leads, farm', ...heavy, paths: leads(`farm_id=${farmId}`) },
    { name: '/v1/leads, search', ...heavy, paths: leads(`search_id=${searchId}`) },
    { name: '/v1/deals', ...heavy, paths: deals },
  ];
}

interface Figures {
  name: string;
  connections: number;
  per_second: number;
  p50_ms: number;
  p99_ms: number;
  busy_p50_ms: number;
  busy_p99_ms: number;
}

/** All of them in turn, several rounds, so that what the machine does meanwhile falls on each. */
async function measureAll(
  db: Db,
  world: ReadApiWorld,
  client: LoadClient,
  contestants: Contestant[],
): Promise<Figures[]> {
  const measured = contestants.map(({ name, connections }) => ({
    ...{ name, connections },
    ...{ rates: [] as number[], alone: [] as number[], busy: [] as number[] },
  }));
  for (let round_ = 0; round_ <= ROUNDS; round_ += 1) {
    for (const { name, requests, connections, ...target } of contestants) {
      await forgetRequests(db);
      await settle();
      const load = { ...target, keys: world.keys };
      const alone = await client.run({ ...load, connections: ONE, requests: requests / 5 });
      const busy = await client.run({ ...load, connections, requests });
      if (round_ === 0) continue; // A warm-up.
      const all = measured.find((one) => one.name === name)!;
      all.rates.push(requests / busy.seconds);
      all.alone.push(...alone.samples);
      all.busy.push(...busy.samples);
      say(`round ${round_}/${ROUNDS}  ${name}: ${round(requests / busy.seconds, 0)} a second`);
    }
  }
  return measured.map(({ name, connections, rates, alone, busy }) => ({
    ...{ name, connections, per_second: round(median(rates), 0) },
    ...{ p50_ms: round(median(alone), 2), p99_ms: round(percentile(alone, 0.99), 2) },
    ...{ busy_p50_ms: round(median(busy), 2), busy_p99_ms: round(percentile(busy, 0.99), 2) },
  }));
}

/**
 * Whether the time of a refusal tells a key that exists, revoked, from one that nobody has: Welch's t
 * of as many of each, in turn, the slowest hundredth of them left out.
 */
async function measureRefusals(
  db: Db,
  world: ReadApiWorld,
  client: LoadClient,
  [, api]: Contestant[],
): Promise<number> {
  const [revoked = ''] = world.keys;
  await db
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(eq(apiKeys.hash, hashKey(revoked)));
  const load = { origin: api!.origin, paths: ['/v1/ping'], keys: [revoked, generateKey()] };
  const { samples } = await client.run({ ...load, connections: ONE, requests: 8_000, status: 401 });
  const most = percentile(samples, 0.99);
  const [known, unknown] = [0, 1].map((parity) =>
    samples.filter((sample, i) => i % 2 === parity && sample <= most),
  );
  return welch(known!, unknown!);
}

/** What the API process holds after each tenth of many requests of all kinds, in MB. */
async function measureMemory(
  db: Db,
  world: ReadApiWorld,
  client: LoadClient,
  contestants: Contestant[],
  pid: number | undefined,
): Promise<number[]> {
  const [, { origin = '' } = {}] = contestants;
  const paths = contestants.filter((one) => one.origin === origin).flatMap((one) => one.paths);
  // Of every ten requests nine are light, so that there can be many.
  const mixed = paths.flatMap((path) => [path, ...Array.from({ length: 9 }, () => '/v1/ping')]);
  const held: number[] = [];
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    await forgetRequests(db);
    const load = { origin, paths: mixed, keys: world.keys, connections: HEAVY };
    await client.run({ ...load, requests: MEMORY_REQUESTS / 10 });
    held.push(await residentMegabytes(pid));
    say(`memory after ${(tenth * MEMORY_REQUESTS) / 10} requests: ${held.at(-1)} MB`);
  }
  return held;
}

async function residentMegabytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024);
}

/** Keys begin with no request noted: a measurement is not to meet the rate limit. */
async function forgetRequests(db: Db): Promise<void> {
  await db.execute(sql`update api_keys set recent = '{}'`);
  await db.execute(sql`vacuum api_keys`);
}

async function explainLeads(database: Database, world: ReadApiWorld): Promise<[string, string][]> {
  const style = { serviceName: 'Lead Events', urls: appUrls('http://127.0.0.1') };
  const caller = { accountId: world.accountId, plan: 'elite' } as const;
  const sources = { list: world.listId, farm: world.farmId, search: world.searchId } as const;
  const plans: [string, string][] = [];
  for (const [kind, id] of Object.entries(sources) as [keyof typeof sources, string][]) {
    const query = { source: { kind, id }, limit: 25, offset: 0 };
    const call = (db: Db) => listLeads({ db, style }, caller, query);
    plans.push([kind, await explain(database, call, /with candidates/)]);
  }
  return plans;
}

async function sequentialScans(db: Db): Promise<number> {
  const [row] = await db.execute(
    sql`select seq_scan as scans from pg_stat_user_tables where relname = 'parcels'`,
  );
  return Number(row?.['scans']);
}

async function answers(url: string): Promise<void> {
  for (let left = 100; ; left -= 1) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    if (left === 0) throw new Error(`${url} does not answer`);
    await delay(100);
  }
}

interface Measured {
  figures: Figures[];
  memory: number[];
  timing: number;
  scans: number;
  plans: [string, string][];
}

function print({ figures, memory, timing, scans, plans }: Measured): void {
  const of = (name: string) => figures.find((one) => one.name === name);
  const share = round(
    (of('/v1/ping')?.per_second ?? NaN) / (of('bare route')?.per_second ?? NaN),
    2,
  );
  const leads = figures.filter(({ name }) => name.startsWith('/v1/leads'));
  const slowest = Math.max(...leads.map(({ p99_ms }) => p99_ms));
  const held = share >= LEAST_PING_SHARE && slowest < MOST_LEADS_P99_MS && scans === 0;
  const rows = figures.map((f) =>
    [f.name, f.p50_ms, f.p99_ms, f.connections, f.per_second, f.busy_p50_ms, f.busy_p99_ms].map(
      String,
    ),
  );
  const headings = ['', 'p50 ms', 'p99 ms', 'connections', 'requests/s', 'p50 ms', 'p99 ms'];
  process.stdout.write(
    `${machine()}\n${PARCELS} parcels; ${ROUNDS} rounds; first one request after another, then as many connections at once as said\n\n${table(headings, rows)}\n\n/v1/ping beside the bare route: ${share} (to reach: ${LEAST_PING_SHARE}); slowest p99 of /v1/leads: ${slowest} ms (to stay below: ${MOST_LEADS_P99_MS}); sequential scans of parcels: ${scans}\nmemory of the API process after each tenth of ${MEMORY_REQUESTS} requests: ${memory.join(', ')} MB\ntime of refusals, a revoked key beside one that nobody has: Welch's t ${round(timing, 2)}\n\n${plans.map(([kind, plan]) => `${kind}:\n${plan}\n\n`).join('')}`,
  );
  const result = {
    parcels: PARCELS,
    figures,
    ping_share: share,
    memory_mb: memory,
    scans,
    welch_t: timing,
  };
  process.stdout.write(`${JSON.stringify({ machine: machine(), ...result })}\n`);
  // A figure that is not held is a failure of the command.
  if (!held) process.exitCode = 1;
}
