import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import * as schema from '../../drizzle/schema.ts';
import { table } from '../../src/commands/table.ts';
import { openDatabase, type Database, type Db } from '../../src/db/client.ts';
import { createGuardedClient } from '../../src/db/guarded-client.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { listDeliveries, showDelivery } from '../../src/deliveries/list-deliveries.ts';
import { createPurgeBatch } from '../../src/deliveries/purge.ts';
import { recordAttempt } from '../../src/deliveries/record-attempt.ts';
import { useDatabase } from '../../src/engine/use-database.ts';
import { EVENT_CATALOGUE } from '../../src/events/catalogue.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { createLog } from '../../src/log.ts';
import { countWaiting } from '../../src/redelivery/count-waiting.ts';
import { explain } from './explain.ts';
import { percentile, round } from './figures.ts';
import { fillLog } from './fill-log.ts';
import { machine } from './machine.ts';

/*
 * npm run bench:log: what the delivery log costs to read and to write when it is long, through the
 * functions that the service calls, on a PostgreSQL of its own with default settings. Progress goes
 * to standard error; tables, the plan and one line of JSON to standard output. It needs a good
 * gigabyte in TMPDIR for a million rows.
 */
const ROWS = Number(process.env['BENCH_ROWS'] ?? 10_000_000);
const ACCOUNTS = 20;
const ENDPOINTS_PER_ACCOUNT = 50;
const DAYS = 30;
const CALLS = 500;
const PURGED = Math.min(100_000, ROWS / 10);

const say = (message: string): void => void process.stderr.write(`${message}\n`);
// Ended from outside: the server goes with us, and its data.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const dataDir = await mkdtemp(join(tmpdir(), 'lead-events-bench-log-'));
const server = await useDatabase({ dataDir, progress: say, log: createLog('warn') });
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));

try {
  await migrateDatabase(server.databaseUrl);
  await fill();
  const database = openDatabase(server.databaseUrl, { max: 4, name: 'bench' });
  try {
    await report(database);
  } finally {
    await database.close();
  }
} finally {
  await server.stop();
}

async function fill(): Promise<void> {
  // One connection, since it makes a function for itself; its statements take as long as they need.
  const client = createGuardedClient(server.databaseUrl, {
    ...{ max: 1, statementTimeoutMs: 0, maxLifetimeMs: 24 * 3_600_000 },
  });
  const size = {
    ...{ accounts: ACCOUNTS, endpointsPerAccount: ENDPOINTS_PER_ACCOUNT, days: DAYS },
    eventsPerAccount: Math.ceil(ROWS / (ACCOUNTS * ENDPOINTS_PER_ACCOUNT)),
  };
  try {
    await fillLog(client, size, say);
  } finally {
    await client.end();
  }
}

async function report(database: Database): Promise<void> {
  const [facts] = await database.sql<{ deliveries: number; size: string }[]>`
    select (select count(*)::int from deliveries) as deliveries,
           pg_size_pretty(pg_database_size(current_database())) as size`;
  const figures = await measureCalls(database);
  const [first] = await database.db.select().from(schema.endpoints).limit(1);
  const plan = await explain(database, (db) => listDeliveries(db, logOf(first!)));
  const purge = await measurePurge(database);
  const rows = figures.map(({ name, p50_ms, p99_ms, max_ms }) => [
    ...[name, String(p50_ms), String(p99_ms), String(max_ms)],
  ]);
  process.stdout.write(
    `${machine()}\n${facts?.deliveries} deliveries to ${ACCOUNTS * ENDPOINTS_PER_ACCOUNT} endpoints, ${facts?.size}; ${CALLS} calls each, one after another\n\n${table(['', 'p50 ms', 'p99 ms', 'max ms'], rows)}\n\n${plan}\n\npurge: ${purge.deliveries} deliveries and ${purge.events} events in ${purge.seconds} s, ${purge.per_second} deliveries a second; longest call ${purge.longest_batch_ms} ms; an endpoint's log meanwhile took ${purge.log_p50_ms} ms (p50), ${purge.log_max_ms} ms at most; sequential scans of large tables: ${purge.sequential_scans}\n\n`,
  );
  process.stdout.write(`${JSON.stringify({ machine: machine(), ...facts, figures, purge })}\n`);
}

async function measureCalls({ db }: Database) {
  const endpoints = await db
    .select()
    .from(schema.endpoints)
    .orderBy(sql`random()`);
  const endpointAt = (i: number) => endpoints[i % endpoints.length]!;
  const newest = await Promise.all(
    endpoints.slice(0, 20).map((endpoint) => listDeliveries(db, logOf(endpoint))),
  );
  const deliveries = newest.flat().map(({ id, endpointId }) => ({
    deliveryId: id,
    accountId: endpoints.find((endpoint) => endpoint.id === endpointId)!.accountId,
  }));
  const { sample } = EVENT_CATALOGUE['deal.status_changed'];
  const figures = [
    await measure("an endpoint's log", (i) => listDeliveries(db, logOf(endpointAt(i)))),
    await measure("an account's log", (i) =>
      listDeliveries(db, { accountId: endpointAt(i).accountId }),
    ),
    await measure('a delivery', (i) => showDelivery(db, deliveries[i % deliveries.length]!)),
    await measure('how many wait', (i) => countWaiting(db, endpointAt(i).id)),
    await measure(`recording an event for ${ENDPOINTS_PER_ACCOUNT} endpoints`, (i) =>
      db.transaction((tx) =>
        recordEvent(tx, {
          ...{ accountId: endpointAt(i).accountId, type: 'deal.status_changed' },
          ...{ subject: `deal:bench_${i}`, data: sample },
        }),
      ),
    ),
  ];
  const pending = await db
    .select({ id: schema.deliveries.id, accountId: schema.deliveries.accountId })
    .from(schema.deliveries)
    .where(sql`finished_at is null`)
    .limit(2 * CALLS);
  figures.push(
    await measure('recording an attempt', (i) => {
      const { id: deliveryId, accountId } = pending[i]!;
      const attempt = {
        ...{ deliveryId, accountId, number: 1, url: 'https://hooks.example.com/' },
        ...{ startedAt: new Date(), durationMs: 120, statusCode: 200, error: null },
        ...{ redirectTarget: null, responseExcerpt: '{"ok":true}' },
      };
      const health = { effect: 'success', era: 0 } as const;
      return recordAttempt(db, attempt, { state: 'delivered' }, health);
    }),
  );
  return figures;
}

function logOf({ id, accountId }: { id: string; accountId: string }) {
  return { accountId, endpointId: id };
}

/** Calls something CALLS times, one after another, after a few calls that do not count. */
async function measure(name: string, call: (i: number) => Promise<unknown>) {
  say(`measuring: ${name}`);
  const warmUp = 20;
  const samples: number[] = [];
  for (let i = 0; i < warmUp + CALLS; i += 1) {
    const startedAt = performance.now();
    await call(i);
    if (i >= warmUp) samples.push(performance.now() - startedAt);
  }
  return {
    name,
    p50_ms: round(percentile(samples, 0.5), 2),
    p99_ms: round(percentile(samples, 0.99), 2),
    max_ms: round(Math.max(...samples), 2),
  };
}

/** Purges the oldest deliveries, and counts how often a large table was read from end to end. */
async function measurePurge({ db }: Database) {
  say(`purging ${PURGED} deliveries`);
  const before = await sequentialScans(db);
  // Sessions hand in what they have counted when they end.
  const database = openDatabase(server.databaseUrl, { max: 2, name: 'bench purge' });
  const purged = await purgeWhileReading(database).finally(() => database.close());
  return { ...purged, sequential_scans: (await sequentialScans(db)) - before };
}

/** Purges while endpoints' logs are being read all the time, one after another. */
async function purgeWhileReading({ db }: Database) {
  const [oldest] = await db.execute(sql`
    select extract(epoch from now() - created_at) * 1000 as age
    from deliveries order by id offset ${PURGED} limit 1`);
  const purgeBatch = createPurgeBatch({ db, retentionMs: Math.round(Number(oldest?.['age'])) });
  const endpoints = await db.select().from(schema.endpoints);
  const batches: number[] = [];
  const logs: number[] = [];
  const total = { deliveries: 0, events: 0 };
  let done = false;
  const reading = (async () => {
    for (let i = 0; !done; i += 1) {
      const startedAt = performance.now();
      await listDeliveries(db, logOf(endpoints[i % endpoints.length]!));
      logs.push(performance.now() - startedAt);
    }
  })();
  const startedAt = performance.now();
  let cursor: string | null = null;
  do {
    const calledAt = performance.now();
    const batch: Awaited<ReturnType<typeof purgeBatch>> = await purgeBatch({ cursor });
    batches.push(performance.now() - calledAt);
    total.deliveries += batch.deliveries;
    total.events += batch.events;
    cursor = batch.next;
  } while (cursor !== null);
  const seconds = (performance.now() - startedAt) / 1000;
  done = true;
  await reading;
  return {
    ...total,
    seconds: round(seconds, 2),
    per_second: round(total.deliveries / seconds, 0),
    longest_batch_ms: round(Math.max(...batches)),
    log_p50_ms: round(percentile(logs, 0.5), 2),
    log_max_ms: round(Math.max(...logs), 2),
  };
}

async function sequentialScans(db: Db): Promise<number> {
  const [row] = await db.execute(sql`
    select sum(seq_scan) as scans from pg_stat_user_tables
    where relname in ('deliveries', 'attempts', 'events')`);
  return Number(row?.['scans']);
}
