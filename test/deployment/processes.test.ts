import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openDatabase, type Database } from '../../src/db/client.ts';
import { createDeal } from '../../src/deals/create-deal.ts';
import { verify } from '../../src/demo/receiver/verify.ts';
import { createServiceContext } from '../../src/service-context.ts';
import { TEST_KEY, testConfig } from '../support/config.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startTestReceiver, type Received, type TestReceiver } from '../support/receiver.ts';
import { createForwarder } from './forwarder.ts';
import { endProcesses, runJson, startProcess, type ServiceProcess } from './service-process.ts';

const WORKING = /Worker and relay are running/;
const PARCEL = 'maple:1';

let testDatabase: TestDatabase;
let database: Database;
let receiver: TestReceiver;
let env: Record<string, string>;
let api: ServiceProcess;
let apiUrl: string;
let workers: ServiceProcess[];
let account: string;
let secret: string;

beforeAll(async () => {
  receiver = await startTestReceiver();
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, { max: 5, name: 'test' });
  env = {
    DATABASE_URL: testDatabase.url,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `test-${randomBytes(6).toString('hex')}`,
    SECRET_KEY: TEST_KEY.toString('hex'),
    DEV_ENDPOINT_ORIGINS: receiver.origin,
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
    IN_FLIGHT_PER_ENDPOINT: '200',
  };
});

afterAll(async () => {
  await endProcesses();
  await database.close();
  await testDatabase.drop();
  await receiver.close();
});

describe('the service as separate processes', { timeout: 120_000 }, () => {
  test('migrate makes the schema in an empty database, and finds it made the next time', async () => {
    await database.sql`drop schema drizzle cascade`;
    await database.sql`drop schema public cascade`;
    await database.sql`create schema public`;
    const first = await runJson(['migrate'], env);
    expect(first).toMatchObject({ code: 0, json: { applied: expect.any(Number) as number } });
    expect(first.json['applied']).toBeGreaterThan(0);
    expect(await runJson(['migrate'], env)).toMatchObject({ code: 0, json: { applied: 0 } });
  });

  test('one api and two workers come up', async () => {
    api = startProcess(['api'], env);
    workers = [startProcess(['worker'], env), startProcess(['worker'], env)];
    const [at] = await Promise.all([
      api.says(/API at (http:\S+)/),
      ...workers.map((worker) => worker.says(WORKING)),
    ]);
    apiUrl = at[1] ?? '';
    expect(await status('/healthz')).toBe(200);
    expect(await status('/readyz')).toBe(200);
  });

  test('each has a port of its own that tells of its metrics and whether it is ready', async () => {
    for (const process of [api, ...workers]) {
      const isWorker = process !== api;
      const [, metricsUrl = ''] = await process.says(/Metrics at (http:\S+)/);
      const metrics = await (await fetch(metricsUrl)).text();
      expect(metrics).toMatch(/^lead_events_database_up 1$/m);
      expect(/^temporal_worker_start_total/m.test(metrics)).toBe(isWorker);
      const ready = await fetch(new URL('/readyz', metricsUrl));
      expect(await ready.json()).toEqual({
        ...{ ok: true, database: 'ok' },
        ...(isWorker && { temporal: 'ok', worker: 'running' }),
      });
    }
  });

  test('a worker does not start on a metrics port that is taken', async () => {
    const [, metricsUrl = ''] = await api.says(/Metrics at (http:\S+)/);
    const taken = new URL(metricsUrl).port;
    const refused = await runJson(['worker'], { ...env, METRICS_PORT: taken });
    expect(refused).toMatchObject({ code: 1, json: { error: 'unavailable' } });
    expect(refused.json['message']).toContain('METRICS_PORT');
  });

  test('commands in processes of their own lead to verified receipts', async () => {
    const created = await runJson(
      ['account', 'create', '--email', 'owner@example.com', '--plan', 'elite'],
      env,
    );
    account = String(created.json['id']);
    const [endpoint, parcel] = await Promise.all([
      runJson(['endpoint', 'create', '--url', `${receiver.origin}/hook`], env),
      runJson(
        [
          ...['parcel', 'add', '--county', 'maple', '--account-num', '1', '--city', 'Millbrook'],
          ...['--address', '12 Alder Ct, Millbrook, TX 75010', '--zip', '75010'],
        ],
        env,
      ),
    ]);
    secret = String(endpoint.json['secret']);
    expect(parcel.json['id']).toBe(PARCEL);
    const deal = await runJson(['deal', 'create', '--parcel', PARCEL], env);
    const moved = await runJson(['deal', 'move', String(deal.json['id']), 'CONTACTED'], env);
    expect([created, endpoint, parcel, deal, moved].map(({ code }) => code)).toEqual(
      Array(5).fill(0),
    );

    await expect.poll(delivered, { timeout: 20_000 }).toBe(2);
    await expectVerified(receiver.received);
    const moves = receiver.received.map(({ body }) => (JSON.parse(body.toString()) as Event).data);
    expect(moves).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ from_status: null, to_status: 'NEW' }),
        expect.objectContaining({ from_status: 'NEW', to_status: 'CONTACTED' }),
      ]),
    );
    const shown = await runJson(['delivery', 'list'], env);
    expect(shown.json).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
  });

  test('faults are told by exit code and in one JSON value', async () => {
    const [usage, refused] = await Promise.all([
      runJson(['deal', 'move'], env),
      runJson(['endpoint', 'create', '--url', 'https://127.0.0.1/hook'], env),
    ]);
    expect(usage).toMatchObject({ code: 2, json: { error: 'usage' } });
    expect(refused).toMatchObject({ code: 1, json: { error: 'bad_request', field: 'url' } });
  });

  test('a worker killed in mid-stream loses nothing', async () => {
    const held: { response: ServerResponse; give: () => void }[] = [];
    const answer = receiver.answer;
    receiver.answer = (request, response) =>
      held.push({ response, give: () => answer(request, response) });
    const before = await delivered();
    await createDeals(120);
    await expect.poll(() => held.length, { timeout: 20_000 }).toBeGreaterThan(60);
    const [victim] = workers.splice(0, 1);
    victim?.kill('SIGKILL');
    expect(await victim?.exited).toBeNull();
    expect(await delivered()).toBe(before);
    // Its connections are gone with it; the other one's attempts are still under way.
    const cut = () => held.filter(({ response }) => response.destroyed).length;
    await expect.poll(cut).toBeGreaterThan(0);
    expect(cut()).toBeLessThan(held.length);
    receiver.answer = answer;
    for (const { response, give } of held) if (!response.destroyed) give();

    // Temporal gives an attempt up for lost after a minute, one inside a workflow task after 10 s.
    await expect.poll(delivered, { timeout: 90_000, interval: 200 }).toBe(before + 120);
    await expectVerified(receiver.received);
    const known = await database.sql`select id from events`;
    const ids = new Set(receiver.received.map(eventId));
    expect(ids).toEqual(new Set(known.map(({ id }) => String(id))));
    // What came again is the same event, byte for byte.
    const bodies = new Set(receiver.received.map(({ body }) => body.toString()));
    expect(bodies.size).toBe(ids.size);
    expect(receiver.received.length).toBeGreaterThan(ids.size);
  });

  test('a worker started before Temporal waits for it, and then works', async () => {
    const temporal = await createForwarder(inject('temporalAddress'));
    try {
      const waiting = startProcess(['worker'], {
        ...env,
        TEMPORAL_ADDRESS: temporal.address,
        TEMPORAL_TASK_QUEUE: `${env['TEMPORAL_TASK_QUEUE']}-late`,
      });
      await Promise.all([
        waiting.says(/not delivering .*trying again/),
        ...workers.splice(0).map(endCleanly),
      ]);
      const before = await delivered();
      await createDeals(3);
      expect(waiting.stderr).not.toMatch(WORKING);
      await temporal.open();
      await waiting.says(WORKING);
      await expect.poll(delivered, { timeout: 20_000 }).toBe(before + 3);
      workers.push(waiting);

      // One that is asked to stop lets the attempt under way finish.
      let finish = (): void => undefined;
      const answer = receiver.answer;
      receiver.answer = (request, response) => (finish = () => answer(request, response));
      const received = receiver.received.length;
      await createDeals(1);
      await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(received + 1);
      waiting.kill('SIGTERM');
      await waiting.says(/SIGTERM: stopping/);
      finish();
      await expectClean(waiting);
      receiver.answer = answer;
      expect(await delivered()).toBe(before + 4);
      expect(receiver.received).toHaveLength(received + 1);
    } finally {
      await temporal.close();
    }
  });

  test('SIGTERM ends the api too, and nothing is left', async () => {
    await endCleanly(api);
    await expect(fetch(`${apiUrl}/healthz`)).rejects.toThrow();
    const left = () => database.sql`select application_name from pg_stat_activity
      where datname = current_database() and application_name like 'lead-events%'`;
    await expect.poll(async () => (await left()).map(String), { timeout: 5_000 }).toEqual([]);
  });

  test('readyz tells that the database is away, healthz does not', async () => {
    const lost = await createTestDatabase();
    const process = startProcess(['api'], { ...env, DATABASE_URL: lost.url, METRICS_PORT: '' });
    apiUrl = (await process.says(/API at (http:\S+)/))[1] ?? '';
    expect(await status('/readyz')).toBe(200);
    expect(process.stderr).not.toContain('Metrics at');
    await lost.drop();
    await expect.poll(() => status('/readyz'), { timeout: 15_000 }).toBe(503);
    expect(await status('/healthz')).toBe(200);
    await endCleanly(process);
  });

  test('what cannot do without a setting names it and does not start', async () => {
    const cases = [
      ['api', 'DATABASE_URL'],
      ['worker', 'DATABASE_URL'],
      ['worker', 'TEMPORAL_ADDRESS'],
      ['worker', 'SECRET_KEY'],
    ] as const;
    await Promise.all(
      cases.map(async ([command, missing]) => {
        // Empty is how compose files spell "not set".
        const refused = await runJson([command], { ...env, [missing]: '' });
        expect(refused.code).toBe(1);
        expect(refused.json['message']).toContain(`${missing} is not set`);
        expect(refused.stderr).toContain(`${missing} is not set`);
      }),
    );
  });
});

interface Event {
  id: string;
  data: Record<string, unknown>;
}

function eventId(request: Received): string {
  return String(request.headers['x-svc-event-id']);
}

async function expectVerified(requests: readonly Received[]): Promise<void> {
  for (const { headers, body } of requests) {
    const [signature, timestamp] = [headers['x-svc-signature'], headers['x-svc-timestamp']].map(
      String,
    );
    expect(await verify(secret, { signature, timestamp }, body)).toEqual({ ok: true });
    expect((JSON.parse(body.toString()) as Event).id).toBe(headers['x-svc-event-id']);
  }
}

async function delivered(): Promise<number> {
  const [row] = await database.sql`
    select count(*)::int as count from deliveries where state = 'delivered'`;
  return Number(row?.['count']);
}

/** Records so many events in this process; it starts nothing that would deliver them. */
async function createDeals(count: number): Promise<void> {
  const context = createServiceContext(testConfig(), {
    ...{ db: database.db, secretKey: TEST_KEY, publicUrl: 'https://app.example.com' },
    ...{ devOrigins: [], actor: 'test' },
  });
  const create = () => createDeal(context, { accountId: account, parcelId: PARCEL });
  await Promise.all(Array.from({ length: count }, create));
}

async function status(path: string): Promise<number> {
  return (await fetch(apiUrl + path)).status;
}

/** Ends it as an orchestrator does: code 0 within its grace, and no process of it is left. */
async function endCleanly(ending: ServiceProcess): Promise<void> {
  ending.kill('SIGTERM');
  await expectClean(ending);
}

async function expectClean(ending: ServiceProcess): Promise<void> {
  expect(await ending.exited, ending.stderr).toBe(0);
  await expect.poll(ending.groupExists, { timeout: 5_000 }).toBe(false);
}
