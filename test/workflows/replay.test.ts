import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker, type ReplayWorkerOptions } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import { installTemporalRuntime } from '../../src/temporal/runtime.ts';
import { deliveryWorkflowId } from '../../src/domain/workflow-id.ts';
import { PRIVATE_WORDS as ADDRESSEE_WORDS } from '../postcards/mailing.ts';
import { PRIVATE_WORDS } from '../skip-trace/tracing.ts';
import { BUYER, eventually, storedBody } from '../support/customer.ts';
import { historyFromJson, historyToJson, readableText } from '../support/history.ts';
import type { Scene } from '../support/scene.ts';
import { SCENARIOS, startScenes, type Scenes } from './scenarios.ts';

/*
 * Workflows that started on an older version of this service must go on on this one. The histories
 * beside this file were made by earlier code; a change that does not replay them needs `patched()`.
 *
 * To add the histories of the present code (and only then, since old ones are what is tested):
 *
 *   UPDATE_HISTORIES=1 npx vitest run --config test/vitest.config.ts test/workflows/replay.test.ts
 *
 * That writes those of scenarios without a file; delete a file to have it made again.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = fileURLToPath(new URL('histories/', import.meta.url));
const UPDATE = process.env['UPDATE_HISTORIES'] === '1';

let scenes: Scenes;
/** The histories that the present code makes, by scenario, and what must not be in them. */
const made = new Map<string, { history: unknown; confidential: string[]; workflowId: string }>();

beforeAll(async () => {
  installTemporalRuntime(createLog('silent'));
  scenes = await startScenes();
  for (const { name, run } of SCENARIOS) {
    const happened = await run(scenes);
    const { scene, customer, hooks, eventId } = happened;
    const { workflowId = deliveryWorkflowId(eventId) } = happened;
    const handle = scene.delivering.client.workflow.getHandle(workflowId);
    // Until the relay has started it there is none.
    await eventually(() => handle.describe().catch(() => undefined));
    await handle.result();
    const history = withoutMachine(historyToJson(await handle.fetchHistory()));
    const body = await storedBody(scene.records, eventId);
    const confidential = [
      ...hooks.flatMap(({ url }) => [url, new URL(url).pathname]),
      ...customer.endpoints.map(({ secret }) => secret),
      ...[body.toString(), body.toString('base64'), BUYER, 'Alder Ct', 'maple:1', 'http://'],
      ...[...PRIVATE_WORDS, ...ADDRESSEE_WORDS, '@example.'],
    ];
    made.set(name, { history, confidential, workflowId });
    if (UPDATE) await save(name, history);
  }
});

afterAll(async () => {
  for (const scene of Object.values(scenes)) await (scene as Scene).close();
});

/** Leaves out by which process and computer a history was made. */
function withoutMachine(history: unknown): unknown {
  const text = JSON.stringify(history)
    .replaceAll(`${process.pid}@${hostname()}`, 'worker')
    .replaceAll(ROOT, '');
  return JSON.parse(text) as unknown;
}

async function save(name: string, history: unknown): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const text = `${JSON.stringify(history, null, 1)}\n`;
  await writeFile(`${FOLDER}${name}.json`, text, { flag: 'wx' }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

async function saved(): Promise<{ name: string; history: unknown }[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace('.json', ''),
      history: JSON.parse(await readFile(FOLDER + file, 'utf8')) as unknown,
    })),
  );
}

/** Replays histories; the errors by name, undefined for those that replay. */
async function replay(
  options: ReplayWorkerOptions,
  histories: { name: string; history: unknown }[],
): Promise<Record<string, Error | undefined>> {
  const results: Record<string, Error | undefined> = {};
  const given = histories.map(({ name, history }) => ({
    workflowId: name,
    history: historyFromJson(history),
  }));
  for await (const { workflowId, error } of Worker.runReplayHistories(options, given)) {
    results[workflowId] = error;
  }
  return results;
}

const presentCode = () => ({ workflowBundle: { codePath: inject('bundlePath') } });

describe('saved histories', () => {
  it('are there for every scenario', async () => {
    const names = (await saved()).map(({ name }) => name);
    for (const { name } of SCENARIOS) expect(names).toContain(name);
  });

  it('replay on the present code', async () => {
    const histories = await saved();
    const results = await replay(presentCode(), histories);
    const expected = Object.fromEntries(histories.map(({ name }) => [name, undefined]));
    expect(results).toEqual(expected);
  });

  it('do not replay on a workflow that does something else: this test can fail', async () => {
    const histories = await saved();
    const workflowsPath = fileURLToPath(new URL('fixtures/changed-workflow.ts', import.meta.url));
    const results = await replay({ workflowsPath }, histories);
    expect(Object.keys(results)).toHaveLength(histories.length);
    for (const error of Object.values(results)) {
      expect(error).toBeInstanceOf(DeterminismViolationError);
    }
  });

  it('hold ids only: no secret, body, contact or URL', async () => {
    for (const { history } of await saved()) {
      const text = readableText(history);
      expect(text).toMatch(
        /(delivery:evt|health:ep|replay:rpl|mail:mail|skiptrace:batch|postcards:cmp|run)_[0-9a-f]{32}/,
      );
      expect(text).not.toMatch(/whsec_|https?:\/\/|127\.0\.0\.1|\/hook-|@example\.com/);
      expect(text).not.toMatch(/\+1\d{10}/);
      expect(text).not.toMatch(/parcel_?id|maple|"data":|buyer|deal_[0-9a-f]|X-SVC|v1=/i);
      expect(text).not.toContain(BUYER);
    }
  });
});

describe('histories of the present code', () => {
  it('replay', async () => {
    const histories = [...made].map(([name, { history }]) => ({ name, history }));
    const results = Object.values(await replay(presentCode(), histories));
    expect(results).toEqual(SCENARIOS.map(() => undefined));
  });

  it.each(SCENARIOS.map(({ name }) => name))(
    '%s: holds ids only, none of what its delivery sent or where to',
    (name) => {
      const { history, confidential, workflowId } = made.get(name)!;
      const text = readableText(history);
      expect(text).toContain(workflowId);
      for (const secret of confidential) expect(text).not.toContain(secret);
    },
  );

  it('go the ways that the scenarios are named after', () => {
    const textOf = (name: string) => readableText(made.get(name)?.history);
    expect(textOf('delivered-at-first')).not.toContain('attemptDelivery');
    expect(textOf('first-attempt-declined')).toContain('attemptDelivery');
    expect(textOf('failed-after-six').match(/EVENT_TYPE_TIMER_FIRED/g)).toHaveLength(5);
    expect(textOf('retry-now')).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED');
    expect(textOf('cancelled')).toContain('cancelDelivery');
    expect(textOf('ended-behind-its-back')).toContain('recheck');
    expect(textOf('health-warned-and-paused')).toMatch(
      /warnOwner[^]*attemptDelivery[^]*pauseFailing/,
    );
    expect(textOf('health-healed')).not.toContain('pauseFailing');
    expect(textOf('replay-of-three')).toContain('continueReplay');
    expect(textOf('skip-trace-of-a-batch')).toMatch(/traceChunk[^]*TIMER_FIRED[^]*traceChunk/);
    expect(textOf('campaign-to-its-end')).toMatch(
      /submitCards[^]*TIMER_FIRED[^]*advanceCampaign[^]*TIMER_FIRED[^]*advanceCampaign/,
    );
    expect(textOf('campaign-moved-by-hand')).not.toContain('advanceCampaign');
    expect(textOf('campaign-moved-by-hand')).toContain('TIMER_CANCELED');
    expect(textOf('rescore')).toContain('continueRescore');
    expect(textOf('rescore-begun')).toContain('beginRescore');
    expect(textOf('first-attempt-broke-off')).toContain('SealedSecretError');
  });
});
