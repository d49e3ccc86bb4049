import { rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { deliveries } from '../../drizzle/schema.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import type { Engine } from '../../src/engine/engine-options.ts';
import { startEngine } from '../../src/engine/start-engine.ts';
import { keepDelivering, type Keeper } from '../../src/processes/keep-delivering.ts';
import { createLog } from '../../src/log.ts';
import { installTemporalRuntime } from '../../src/temporal/runtime.ts';
import { TEST_KEY, testConfig } from '../support/config.ts';
import { startTestReceiver, type TestReceiver } from '../support/receiver.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

/*
 * A Temporal of this file's own, which is stopped, started again and wiped while the service runs.
 */
let records: TestRecords;
let receiver: TestReceiver;
let dataDir: string;
let temporal: Engine;
let delivering: Keeper;
const log = createLog('silent');

function startTemporal(): Promise<Engine> {
  return startEngine({
    ...{ dataDir, cacheDir: inject('cacheDir'), databaseUrl: records.url, log },
    progress: () => undefined,
    temporal: { headless: true },
  });
}

beforeAll(async () => {
  installTemporalRuntime(log);
  records = await createTestRecords();
});
afterAll(() => records.close());

beforeEach(async () => {
  receiver = await startTestReceiver();
  dataDir = await mkdtemp(join(tmpdir(), 'lead-events-temporal-'));
  temporal = await startTemporal();
  const config = testConfig({ DEV_ENDPOINT_ORIGINS: receiver.origin, RETRY_SCHEDULE: '3s,3s,3s' });
  delivering = keepDelivering({
    ...{ config, database: records.database, log, secretKey: TEST_KEY },
    temporalAddress: temporal.temporalAddress,
    workflowBundle: { codePath: inject('bundlePath') },
    relay: { reconcileMs: 500, overdueAfterMs: 3_000 },
  });
  await delivering.ready;
});
afterEach(async () => {
  await delivering.stop();
  await temporal.stop();
  await receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});

function eventIds(): Set<string> {
  return new Set(receiver.received.map(({ headers }) => String(headers['x-svc-event-id'])));
}

async function unfinished(): Promise<number> {
  return (
    await records.db
      .select()
      .from(deliveries)
      .where(sql`finished_at is null`)
  ).length;
}

async function dealWithMoves(): Promise<() => Promise<void>> {
  const { id: accountId } = await records.newAccount();
  await records.newEndpoint(accountId, receiver.origin);
  const { id: dealId } = await records.newDeal(accountId);
  return async () => {
    for (const to of ['CONTACTED', 'OFFER_SENT', 'UNDER_CONTRACT', 'CLOSED']) {
      await moveDeal(records.context, { accountId, dealId, to });
    }
  };
}

test('while Temporal is away actions succeed, and their events are delivered when it is back', async () => {
  const moves = await dealWithMoves();
  await vi.waitUntil(async () => (await unfinished()) === 0, { timeout: 30_000 });
  await temporal.stop();
  await moves();
  expect(await unfinished()).toBe(4);
  temporal = await startTemporal();
  await vi.waitUntil(async () => (await unfinished()) === 0, { timeout: 45_000 });
  expect(eventIds().size).toBe(5);
});

test("Temporal's data wiped: what was under way and what came meanwhile is delivered", async () => {
  receiver.answer = (_request, response) => void response.writeHead(503).end();
  const moves = await dealWithMoves();
  await vi.waitUntil(() => eventIds().size === 1, { timeout: 30_000 });
  await temporal.stop();
  await rm(join(dataDir, 'temporal'), { recursive: true });
  await moves();
  receiver.answer = (_request, response) => void response.writeHead(200).end();
  temporal = await startTemporal();
  await vi.waitUntil(async () => (await unfinished()) === 0, { timeout: 45_000 });
  const states = await records.db.select({ state: deliveries.state }).from(deliveries);
  expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['delivered']));
  expect(eventIds().size).toBe(5);
});
