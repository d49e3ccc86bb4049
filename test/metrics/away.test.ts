import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newCustomer, eventually } from '../support/customer.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { scrape, type Scrape } from './exposition.ts';
import { startWatched, type Watched } from './watched.ts';

/*
 * The operations server while what its process stands on is away, for a while or not there yet. The
 * service's own database connections are not cut: what is told must be what was asked for.
 */
let records: TestRecords;
let database: TcpProxy;
let temporal: TcpProxy;
let watched: Watched;
let cut: Record<'database' | 'temporal', 'not' | 'refusing' | 'silent'>;

const LIMIT_MS = 3_500;

beforeAll(async () => {
  cut = { database: 'not', temporal: 'refusing' };
  records = await createTestRecords();
  database = await TcpProxy.start(records.url);
  temporal = await TcpProxy.start(`http://${inject('temporalAddress')}`);
  for (const [name, proxy] of Object.entries({ database, temporal })) {
    proxy.onLink = (link) => {
      const how = cut[name as keyof typeof cut];
      if (how === 'refusing') link.break('reset');
      if (how === 'silent') link.delay(60_000);
    };
  }
  watched = await startWatched(records, {
    origins: [],
    databaseUrl: database.url(records.url),
    temporalAddress: new URL(temporal.url(`http://${inject('temporalAddress')}`)).host,
  });
});
afterAll(async () => {
  await watched.close();
  await Promise.all([database.close(), temporal.close()]);
  await records.close();
});

/** Cuts what is connected, and what connects from now on. */
function cutOff(proxy: TcpProxy, how: 'refusing' | 'silent'): void {
  cut[proxy === database ? 'database' : 'temporal'] = how;
  for (const link of proxy.links) {
    if (how === 'silent') link.delay(60_000);
    else link.break('reset');
  }
}

async function scrapeInTime(): Promise<Scrape> {
  const startedAt = performance.now();
  const scraped = await scrape(watched.operations.url);
  expect(performance.now() - startedAt).toBeLessThan(LIMIT_MS);
  return scraped;
}

async function readyzInTime(): Promise<{ status: number; json: unknown }> {
  const startedAt = performance.now();
  const answer = await watched.readyz();
  expect(performance.now() - startedAt).toBeLessThan(LIMIT_MS);
  return answer;
}

test('while Temporal is not there yet it is not ready, but there are metrics', async () => {
  expect(await readyzInTime()).toEqual({
    status: 503,
    json: { ok: false, database: 'ok', temporal: 'unreachable', worker: 'starting' },
  });
  const customer = await newCustomer(records, 'https://hooks.example.com');
  await customer.move();
  const scraped = await eventually(async () => {
    const now = await scrapeInTime();
    return now.value('lead_events_outbox_depth', { task: 'event' }) === 1 && now;
  });
  expect(scraped.value('lead_events_database_up')).toBe(1);
  expect(scraped.value('lead_events_deliveries_unfinished', { state: 'pending' })).toBe(1);
});

test('once Temporal is there it is ready', async () => {
  cut.temporal = 'not';
  await watched.ready;
  expect((await readyzInTime()).status).toBe(200);
});

test.each(['refusing', 'silent'] as const)('a Temporal that is %s is told', async (how) => {
  cutOff(temporal, how);
  expect(await readyzInTime()).toEqual({
    status: 503,
    json: { ok: false, database: 'ok', temporal: 'unreachable', worker: 'running' },
  });
  cut.temporal = 'not';
  for (const link of temporal.links) link.break('reset');
  await eventually(async () => (await readyzInTime()).status === 200);
});

test.each(['refusing', 'silent'] as const)(
  'a database that is %s holds no scrape up',
  async (how) => {
    cutOff(database, how);
    const away = await eventually(async () => {
      const scraped = await scrapeInTime();
      return scraped.value('lead_events_database_up') === 0 && scraped;
    });
    // Nothing is said of the records; everything else is.
    expect(away.value('lead_events_deliveries_overdue')).toBeUndefined();
    expect(away.samples.some(({ name }) => name === 'lead_events_outbox_depth')).toBe(false);
    expect(away.value('temporal_worker_start_total')).toBe(1);
    expect(away.value('lead_events_attempt_duration_seconds_count')).toBeDefined();
    expect(await readyzInTime()).toEqual({
      status: 503,
      json: { ok: false, database: 'unreachable', temporal: 'ok', worker: 'running' },
    });
    cut.database = 'not';
    for (const link of database.links) link.break('reset');
    await eventually(async () => (await readyzInTime()).status === 200);
    await eventually(async () => (await scrapeInTime()).value('lead_events_database_up') === 1);
  },
);
