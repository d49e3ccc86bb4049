import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { count, isNull } from 'drizzle-orm';
import { deliveries, events } from '../../drizzle/schema.ts';
import { readRescore } from '../../src/rescore/rescore-run.ts';
import { startRescore } from '../../src/rescore/start-rescore.ts';
import { endProcesses, startProcess } from '../deployment/service-process.ts';
import { TEST_KEY } from '../support/config.ts';
import { seededRandom } from '../support/random.ts';
import { startTestReceiver, type TestReceiver } from '../support/receiver.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { expectedOf } from './model.ts';
import { contradictions } from './verdict.ts';
import { clearWorld, createWorld } from './world.ts';

const KILLS = 3;
const CAP = 60;

let records: TestRecords;
let receiver: TestReceiver;
let proxy: TcpProxy;
beforeAll(async () => {
  records = await createTestRecords();
  receiver = await startTestReceiver();
  proxy = await TcpProxy.start(records.url);
});
afterAll(async () => {
  await endProcesses();
  await proxy.close();
  await receiver.close();
  await records.close();
});

test('a worker process killed at random, again and again: exact all the same, and all of it arrives', async () => {
  const random = seededRandom();
  await clearWorld(records);
  const endpointUrl = `${receiver.origin}/in`;
  await createWorld(records, random, { parcels: 400, accounts: 4, endpointUrl });
  const expected = await expectedOf(records.db, new Date().toISOString().slice(0, 10));
  // Each round trip takes a few milliseconds, so that a run takes long enough to be killed in.
  proxy.onLink = (link) => link.delay(3);
  const env = {
    ...{ DATABASE_URL: proxy.url(records.url), SECRET_KEY: TEST_KEY.toString('hex') },
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `rescore-killed-${randomBytes(6).toString('hex')}`,
    ...{ DEV_ENDPOINT_ORIGINS: receiver.origin, RESCORE_BATCH: '3', RESCORE_CAP: String(CAP) },
    ...{ HOST: '127.0.0.1', METRICS_PORT: '0', LOG_LEVEL: 'warn' },
  };
  const { id: runId } = await startRescore(records.db);
  const scored = async () => (await readRescore(records.db, runId)).parcels;
  let worker = startProcess(['worker'], env);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const reached = (await scored()) + 6 + random.integer(90);
    await expect.poll(scored, { interval: 5, timeout: 60_000 }).toBeGreaterThanOrEqual(reached);
    // In the middle of whatever it does just then.
    await new Promise((resolve) => setTimeout(resolve, random.integer(60)));
    worker.kill('SIGKILL');
    await worker.exited;
    console.log(`  killed with ${await scored()} parcels scored`);
    for (const link of proxy.links) link.break('cut');
    worker = startProcess(['worker'], env);
  }
  const state = async () => (await readRescore(records.db, runId)).state;
  await expect.poll(state, { timeout: 90_000 }).toBe('finished');
  const verdict = await contradictions(records.db, expected, { runId, cap: CAP });
  expect(verdict, random.description).toEqual([]);

  const unfinished = async () => {
    const [row] = await records.db
      .select({ count: count() })
      .from(deliveries)
      .where(isNull(deliveries.finishedAt));
    return row?.count;
  };
  await expect.poll(unfinished, { timeout: 90_000 }).toBe(0);
  const made = await records.db.select({ id: events.id }).from(events);
  const sent = await records.db.select().from(deliveries);
  const arrived = new Set(receiver.received.map(({ headers }) => headers['x-svc-event-id']));
  const due = made.filter(({ id }) =>
    sent.some(({ eventId, state: is }) => eventId === id && is === 'delivered'),
  );
  expect(due.length).toBeGreaterThan(0);
  expect(due.every(({ id }) => arrived.has(id))).toBe(true);
  expect(sent.every(({ state: is }) => is === 'delivered' || is === 'skipped')).toBe(true);
}, 300_000);
