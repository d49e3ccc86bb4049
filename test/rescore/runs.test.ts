import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { rescoreRuns } from '../../drizzle/schema.ts';
import { parseCommandLine, type Command } from '../../src/commands/command.ts';
import { rescoreList, rescoreRun, rescoreShow } from '../../src/commands/rescore.ts';
import { openDatabase } from '../../src/db/client.ts';
import { PAUSE_POLICY } from '../../src/domain/health.ts';
import { rescoreWorkflowId } from '../../src/domain/workflow-id.ts';
import { holdLead } from '../../src/leads/hold-lead.ts';
import { requeueOverdue } from '../../src/relay/reconcile.ts';
import { readRescore } from '../../src/rescore/rescore-run.ts';
import { requestRescore, startRescore } from '../../src/rescore/start-rescore.ts';
import { ensureRescoreSchedule } from '../../src/temporal/rescore-schedule.ts';
import { TEST_KEY, testConfig } from '../support/config.ts';
import { eventually } from '../support/customer.ts';
import { startScene, type Scene } from '../support/scene.ts';
import { becameHot, saveAgo } from './parcels.ts';
import { clearWorld } from './world.ts';

let scene: Scene;
let folder: string;
beforeAll(async () => {
  const taskQueue = `rescore-${randomBytes(6).toString('hex')}`;
  scene = await startScene({ TEMPORAL_TASK_QUEUE: taskQueue });
  folder = await mkdtemp(join(tmpdir(), 'lead-events-rescore-'));
});
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await clearWorld(scene.records);
  await saveAgo(scene.records.db, 1, { county: 'oak', account_num: '1', ...becameHot() });
});

const workflowOf = (runId: string) =>
  scene.delivering.client.workflow.getHandle(rescoreWorkflowId(runId));

async function finished(runId: string) {
  return eventually(async () => {
    const run = await readRescore(scene.records.db, runId);
    return run.state === 'finished' ? run : undefined;
  });
}

/** While this goes on no parcel can be scored. */
async function whileParcelsAreHeld<T>(work: () => Promise<T>): Promise<T> {
  return scene.records.db.transaction(async (tx) => {
    await tx.execute(sql`update parcels set city = city`);
    return work();
  });
}

test('one runs at a time: of two that are asked for at once one begins, the other names it', async () => {
  const { db, url } = scene.records;
  const other = openDatabase(url, { max: 1, name: 'other' });
  try {
    for (let round = 0; round < 5; round += 1) {
      const asked = await whileParcelsAreHeld(() =>
        Promise.allSettled([startRescore(db), startRescore(other.db)]),
      );
      const [begun, ...more] = asked.flatMap((a) => (a.status === 'fulfilled' ? [a.value] : []));
      const [refused] = asked.flatMap((a) => (a.status === 'rejected' ? [a.reason as Error] : []));
      expect(more).toEqual([]);
      expect(refused).toMatchObject({ code: 'conflict' });
      expect(refused?.message).toContain(begun!.id);
      await finished(begun!.id);
    }
  } finally {
    await other.close();
  }
  const second = sql`insert into rescore_runs (id, trigger, day, parcels_expected) values
    ('run_1', 'request', '2026-01-01', 0), ('run_2', 'request', '2026-01-01', 0)`;
  await expect(scene.records.db.execute(second)).rejects.toMatchObject({
    cause: { code: '23505' },
  });
});

test('one request begins one run, however often it is made', async () => {
  const { db } = scene.records;
  const request = { trigger: 'schedule', requestKey: 'monday' } as const;
  const [first, twin] = await Promise.all([
    requestRescore(db, request),
    requestRescore(db, request),
  ]);
  expect(first.run.id).toBe(twin.run.id);
  expect([first.begun, twin.begun].sort()).toEqual([false, true]);
  await finished(first.run.id);
  expect(await requestRescore(db, request)).toMatchObject({
    ...{ begun: false, run: { id: first.run.id, state: 'finished' } },
  });
  expect(await db.select().from(rescoreRuns)).toHaveLength(1);
});

test('the weekly schedule begins a run; while one is under way it says so and ends', async () => {
  const { client } = scene.delivering;
  const { taskQueue } = scene;
  const scheduleId = `rescore-weekly:${taskQueue}`;
  // As when several workers start; the scene's own has made it.
  const ensure = () => ensureRescoreSchedule(client, { taskQueue });
  await Promise.all([ensure(), ensure(), ensure()]);
  const schedule = client.schedule.getHandle(scheduleId);
  try {
    const { policies, info } = await schedule.describe();
    expect(policies).toMatchObject({ overlap: 'SKIP' });
    const [next, after] = info.nextActionTimes;
    expect([next?.getUTCDay(), next?.getUTCHours()]).toEqual([1, 7]);
    const week = 7 * 86_400_000;
    expect(Math.abs((after?.getTime() ?? 0) - (next?.getTime() ?? 0) - week)).toBeLessThan(
      3_600_000,
    );

    const triggered = async (count: number) => {
      await schedule.trigger();
      const action = await eventually(async () => {
        const { recentActions } = (await schedule.describe()).info;
        return recentActions.length >= count ? recentActions.at(-1)?.action : undefined;
      });
      const result: unknown = await client.workflow.getHandle(action.workflow.workflowId).result();
      return result as { runId: string; begun: boolean };
    };
    const { runId } = await whileParcelsAreHeld(async () => {
      const first = await triggered(1);
      expect(first.begun).toBe(true);
      expect(await triggered(2)).toEqual({ runId: first.runId, begun: false });
      return first;
    });
    expect(await finished(runId)).toMatchObject({ trigger: 'schedule', parcels: 1, changed: 1 });
  } finally {
    await schedule.delete();
  }
});

test('a run whose workflow was lost gets another, which goes on from where it stands', async () => {
  const { db } = scene.records;
  const runId = await whileParcelsAreHeld(async () => {
    const { id } = await startRescore(db);
    const handle = workflowOf(id);
    await eventually(() => handle.describe().catch(() => undefined));
    await handle.terminate('lost');
    await expect(handle.result()).rejects.toThrow();
    return id;
  });
  await db.execute(sql`update rescore_runs set progressed_at = now() - interval '2 minutes'`);
  await requeueOverdue(db, PAUSE_POLICY);
  expect(await finished(runId)).toMatchObject({ parcels: 1, changed: 1 });
  const queued = () => db.execute(sql`select key from outbox where task = 'rescore'`);
  await expect.poll(async () => (await queued()).length).toBe(0);
  // Nothing is asked after what is finished.
  await db.execute(sql`update rescore_runs set progressed_at = now() - interval '2 minutes'`);
  await requeueOverdue(db, PAUSE_POLICY);
  expect([...(await queued())]).toEqual([]);
});

/** What a command answers, as the command line would run it. */
async function run(command: Command, ...argv: string[]) {
  const config = testConfig({
    ...{ DATABASE_URL: scene.records.url, SECRET_KEY: TEST_KEY.toString('hex') },
    ...{ DATA_DIR: folder, TEMPORAL_ADDRESS: inject('temporalAddress') },
  });
  const parsed = parseCommandLine(command, argv);
  const answer = await command.run({ ...parsed, config, progress: () => undefined });
  return answer as { text: string; json: Record<string, unknown> };
}

test('on the command line: run and wait, list, show; a second one is refused', async () => {
  const { db } = scene.records;
  const { id: accountId } = await scene.records.newAccount();
  await holdLead(db, { accountId, parcelId: 'oak:1', via: 'saved' });
  const { json } = await run(rescoreRun, '--wait');
  expect(json).toMatchObject({ state: 'finished', trigger: 'request', changed: 1, events: 1 });
  const runId = json['id'] as string;
  const shown = await run(rescoreShow, runId);
  expect(shown.json).toMatchObject({
    id: runId,
    accounts: [{ accountId, scoreUpdatedTotal: 1, scoreUpdatedSent: 1, summarisedAt: null }],
  });
  expect(shown.text).toContain(rescoreWorkflowId(runId));
  await whileParcelsAreHeld(async () => {
    const begun = await run(rescoreRun);
    expect(begun.json).toMatchObject({ state: 'running' });
    await expect(run(rescoreRun)).rejects.toThrow(begun.json['id'] as string);
    const listed = (await run(rescoreList)).json as unknown as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual([begun.json['id'], runId]);
  });
  await expect(run(rescoreShow, 'run_none')).rejects.toMatchObject({ code: 'not_found' });
  const [last] = (await run(rescoreList)).json as unknown as { id: string }[];
  await finished(last!.id);
});
