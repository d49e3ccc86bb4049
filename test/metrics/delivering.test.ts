import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  attemptedDelivery,
  eventually,
  finishedDelivery,
  newCustomer,
} from '../support/customer.ts';
import { startTestReceiver, type TestReceiver } from '../support/receiver.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { scrape } from './exposition.ts';
import { startWatched, type Watched } from './watched.ts';

let records: TestRecords;
let receiver: TestReceiver;
let watched: Watched;
let url: string;

beforeAll(async () => {
  records = await createTestRecords();
  receiver = await startTestReceiver();
  watched = await startWatched(records, { origins: [receiver.origin] });
  url = watched.operations.url;
  await watched.ready;
});
afterAll(async () => {
  await watched.close();
  await receiver.close();
  await records.close();
});

test('before anything has happened, successes are 0 and not missing', async () => {
  const scraped = await scrape(url);
  const label = { kind: 'automatic', result: '2xx' };
  expect(scraped.value('lead_events_attempts_total', label)).toBe(0);
  expect(scraped.value('lead_events_endpoints', { health: 'failing' })).toBe(0);
});

test('a delivery is counted and timed, and the SDK tells of its workflow, in one text', async () => {
  const customer = await newCustomer(records, `${receiver.origin}/ok`);
  await finishedDelivery(records, await customer.move());
  const scraped = await scrape(url);
  const label = { kind: 'automatic', result: '2xx' };
  expect(scraped.value('lead_events_attempts_total', label)).toBe(1);
  for (const timed of ['attempt_duration', 'first_attempt_delay']) {
    const [count, sum] = ['count', 'sum'].map((part) =>
      scraped.value(`lead_events_${timed}_seconds_${part}`),
    );
    expect(count, timed).toBe(1);
    expect(sum, timed).toBeLessThan(10);
  }
  expect(scraped.value('lead_events_database_up')).toBe(1);
  expect(scraped.value('lead_events_sdk_metrics_up')).toBe(1);
  expect(scraped.value('process_start_time_seconds')).toBeGreaterThan(0);
  expect(scraped.value('temporal_worker_start_total')).toBe(1);
  const slots = scraped.value('temporal_worker_task_slots_available', {
    worker_type: 'LocalActivityWorker',
  });
  expect(slots).toBeGreaterThan(0);
});

test('a failing endpoint is counted as one, its attempts by status and as no first again', async () => {
  receiver.answer = (_request, response) => void response.writeHead(503).end();
  const customer = await newCustomer(records, `${receiver.origin}/failing`);
  await attemptedDelivery(records, await customer.move());
  const failing = await eventually(async () => {
    const scraped = await scrape(url);
    return scraped.value('lead_events_endpoints', { health: 'failing' }) === 1 && scraped;
  });
  const label = { kind: 'automatic', result: '5xx' };
  expect(failing.value('lead_events_attempts_total', label)).toBe(1);
  expect(failing.value('lead_events_endpoints', { health: 'healthy' })).toBe(1);
  expect(failing.value('lead_events_deliveries_unfinished', { state: 'retrying' })).toBe(1);
});

test('it is ready, and says so part by part', async () => {
  expect(await watched.readyz()).toEqual({
    status: 200,
    json: { ok: true, database: 'ok', temporal: 'ok', worker: 'running' },
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/nowhere`)).status).toBe(404);
});

test('the documentation names what is exposed, and nothing else of ours', async () => {
  const documented = new Set(
    (await readFile('docs/metrics.md', 'utf8')).match(
      /\b(lead_events|temporal)_\w+(?<!_bucket)\b/g,
    ),
  );
  const { samples } = await scrape(url);
  const exposed = new Set(samples.map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')));
  const ours = (names: Set<string>) => [...names].filter((name) => name.startsWith('lead_')).sort();
  expect(ours(documented)).toEqual(ours(exposed));
  // These two appear with the first failure.
  const later = /^temporal_(long_)?request_failure_total$|^temporal_workflow_task_execution_failed/;
  const missing = [...documented].filter((name) => !exposed.has(name) && !later.test(name));
  expect(missing).toEqual([]);
});
