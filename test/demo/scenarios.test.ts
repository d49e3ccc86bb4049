import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { SCENARIOS } from '../../src/demo/scenarios/index.ts';
import { runCli, runJson, startCli } from '../support/cli.ts';
import { processesOf } from '../support/processes.ts';

/*
 * Each scenario as somebody runs it: a process of its own, which ends by itself. They share a data
 * directory, so that only the first one makes the demo's data.
 */
let dataDir: string;
let env: Record<string, string>;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'lead-events-demo-'));
  env = { DATA_DIR: dataDir, CACHE_DIR: inject('cacheDir') };
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const LIMIT_MS = 120_000;

interface Fact {
  about: string;
  [id: string]: unknown;
}

interface Played {
  scenario: string;
  data_dir: string;
  steps: { title: string; at: string; facts: Fact[] }[];
  seen: Record<string, unknown>;
}

async function play(name: string): Promise<Played & { facts: (about: string) => Fact[] }> {
  const played = await runJson<Played>(['demo', name], env);
  expect(played).toMatchObject({ scenario: name, data_dir: join(dataDir, 'demo') });
  const all = played.steps.flatMap(({ facts }) => facts);
  return { ...played, facts: (about) => all.filter((fact) => fact.about === about) };
}

const ID = /^[a-z]+_[0-9a-f]{32}$/;

/** Every event that was told of has its id, its workflow, and a verified receipt. */
function expectVerified(facts: (about: string) => Fact[], events: number): void {
  expect(facts('event').filter(({ event_id: id }) => id !== undefined)).toHaveLength(events);
  for (const { event_id: id } of facts('event').filter((fact) => fact['event_id'])) {
    expect(id).toMatch(ID);
    expect(facts('workflow').map((fact) => fact['workflow_id'])).toContain(
      `delivery:${String(id)}`,
    );
    expect(facts('receiver')).toContainEqual(
      expect.objectContaining({ event_id: id, signature: 'ok' }),
    );
    expect(facts('log')).toContainEqual(
      expect.objectContaining({ event_id: id, state: 'delivered' }),
    );
  }
}

test('without a scenario they are listed', async () => {
  const { code, stdout } = await runCli(['demo'], env);
  expect(code).toBe(0);
  for (const { name, summary } of SCENARIOS)
    expect(stdout).toContain(`${name.padEnd(9)}  ${summary}`);
  const unknown = await runCli(['demo', 'circus'], env);
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.stderr).toContain('there is no scenario "circus"; there are deal, ');
});

describe('a scenario ends by itself, having seen what it promises:', () => {
  test('deal', { timeout: LIMIT_MS }, async () => {
    const { seen, facts } = await play('deal');
    expectVerified(facts, 4);
    expect(seen).toMatchObject({ events: 4, received: 4, duplicates: 0, verified: 4 });
    expect(seen['closed']).toMatchObject({
      type: 'deal.closed',
      data: { from_status: 'UNDER_CONTRACT', to_status: 'CLOSED', actual_fee_cents: 1_350_000 },
    });
    // What it names can be looked up afterwards.
    const deliveryId = String(facts('log')[0]?.['delivery_id']);
    const shown = await runJson(['delivery', 'show', deliveryId], {
      ...env,
      DATA_DIR: join(dataDir, 'demo'),
    });
    expect(shown).toMatchObject({ id: deliveryId, state: 'delivered' });
  });

  test('skiptrace', { timeout: LIMIT_MS }, async () => {
    const { seen, facts } = await play('skiptrace');
    expectVerified(facts, 3);
    expect(seen).toMatchObject({ events: 3, sameContacts: 3 });
    expect(facts('callable').at(-1)).toMatchObject({ callable_phones: 0, litigator: true });
    expect(facts('GET')).toMatchObject([{ status: 200 }]);
  });

  test('postcard', { timeout: LIMIT_MS }, async () => {
    const { seen, facts } = await play('postcard');
    expectVerified(facts, 3);
    expect(seen).toMatchObject({ events: 3, states: ['production', 'mailed', 'delivered_est'] });
    expect(facts('state').map(({ cards }) => cards)).toEqual([60, 60, 60]);
  });

  test('rescore', { timeout: LIMIT_MS }, async () => {
    const { seen, facts } = await play('rescore');
    expectVerified(facts, 7);
    expect(seen).toMatchObject({
      ...{ events: 7, enteredHot: 4, scoreUpdated: 2 },
      heldVia: ['purchased+saved', 'saved'],
      summary: { reason: 'cap_exceeded', entered_hot_total: 6, entered_hot_sent: 4 },
    });
    expect(facts('progress')).toHaveLength(2);
  });

  test('fail', { timeout: LIMIT_MS }, async () => {
    const { seen, facts } = await play('fail');
    expectVerified(facts, 3);
    expect(facts('attempt').map(({ number, result }) => [number, result])).toEqual([
      ...[
        [1, '500'],
        [2, '500'],
        [3, '200'],
      ],
      ...[
        [1, 'redirect'],
        [2, '200'],
      ],
      ...[
        [1, 'timeout'],
        [2, '200'],
      ],
    ]);
    expect(seen).toMatchObject({ delivered: 3 });
  });

  test('pause', { timeout: LIMIT_MS }, async () => {
    const { seen, facts } = await play('pause');
    expect(seen).toMatchObject({ mails: 2 });
    const events = facts('event').map(({ event_id: id }) => id);
    expect(events).toHaveLength(4);
    expect(seen['replayed']).toEqual(events);
    expect(facts('mail')).toHaveLength(2);
  });

  test('burst', { timeout: LIMIT_MS }, async () => {
    const { seen } = await play('burst');
    expect(seen).toMatchObject({ events: 200, received: 200, duplicates: 0, verified: 200 });
    expect(seen['perSecond']).toBeGreaterThan(0);
    expect(seen['p99']).toBeGreaterThanOrEqual(Number(seen['p50']));
  });
});

test(
  'Ctrl-C in the middle stops everything, and is no success',
  { timeout: LIMIT_MS },
  async () => {
    const cli = startCli(['demo', 'pause', '--json'], env);
    await vi.waitUntil(() => cli.output.stderr.includes('1. The receiver'), { timeout: 60_000 });
    cli.process.kill('SIGINT');
    const { code, stdout } = await cli.finished;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: 'unavailable' });
    expect(await processesOf(dataDir)).toEqual([]);
  },
);
