import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { runCli, runJson, startCli, type RunningCli } from '../support/cli.ts';
import { processesOf } from '../support/processes.ts';

/*
 * What a newcomer does: start everything in an empty directory, move a deal, see it arrive.
 */
let dataDir: string;
let env: Record<string, string>;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'lead-events-start-'));
  env = { DATA_DIR: dataDir, CACHE_DIR: inject('cacheDir'), RETRY_SCHEDULE: '200ms,200ms' };
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

interface Started {
  api_url: string;
  metrics_url: string;
  temporal_ui_url: string;
  receiver_url: string;
  account_id: string;
  signing_secret: string;
  parcel_id: string;
}

async function start(): Promise<{ cli: RunningCli; urls: Started }> {
  const cli = startCli(['start', '--json'], env);
  await vi.waitUntil(() => cli.output.stdout.endsWith('\n') || cli.process.exitCode !== null, {
    timeout: 60_000,
  });
  return { cli, urls: JSON.parse(cli.output.stdout) as Started };
}

async function stop(cli: RunningCli, signal: NodeJS.Signals): Promise<void> {
  cli.process.kill(signal);
  expect(await cli.finished).toMatchObject({ code: 0 });
  expect(await processesOf(dataDir)).toEqual([]);
}

interface Receipts {
  events: number;
  duplicates: number;
  latest: { eventType: string; verdict: { ok: boolean }; answered: string; seen: number }[];
}

async function receipts(url: string): Promise<Receipts> {
  return (await (await fetch(url)).json()) as Receipts;
}

// Ten processes of ours, one after another: minutes where others use the machine too.
const LIMIT = { timeout: 180_000 };

test(
  'starts, delivers a deal to its receiver, stops without a trace, and starts again on the same data',
  LIMIT,
  async () => {
    const first = await start();
    expect((await fetch(`${first.urls.api_url}/healthz`)).status).toBe(200);
    expect((await fetch(first.urls.temporal_ui_url)).status).toBe(200);
    expect(await (await fetch(first.urls.metrics_url)).text()).toMatch(
      /^temporal_worker_start_total/m,
    );
    expect((await fetch(new URL('/readyz', first.urls.metrics_url))).status).toBe(200);
    const second = await runCli(['start', '--json'], env);
    expect(second).toMatchObject({ code: 1 });
    expect(JSON.parse(second.stdout)).toMatchObject({ error: 'conflict' });
    const unknown = await fetch(`${first.urls.api_url}/nowhere`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: 'not_found' });

    const deal = await runJson<{ id: string }>(
      ['deal', 'create', '--parcel', first.urls.parcel_id],
      env,
    );
    await runJson(['deal', 'move', deal.id, 'UNDER_CONTRACT'], env);
    await runJson(['receiver', 'answer', '500', '--times', '1'], env);
    await runJson(['deal', 'move', deal.id, 'CLOSED', '--actual-fee-cents', '1000000'], env);
    const seen = await vi.waitUntil(
      async () => {
        const all = await receipts(first.urls.receiver_url);
        return all.duplicates === 1 && all.events === 4 && all;
      },
      { timeout: 30_000 },
    );
    expect(seen.latest.every(({ verdict }) => verdict.ok)).toBe(true);
    expect(seen.latest.map(({ eventType }) => eventType)).toContain('deal.closed');
    expect(first.cli.output.stdout.trim().split('\n')).toHaveLength(1);
    await stop(first.cli, 'SIGTERM');

    // Stopped: commands bring the database up for themselves; the event waits for the next start.
    await runJson(['deal', 'create', '--parcel', first.urls.parcel_id], env);
    const again = await start();
    expect(again.urls.account_id).toBe(first.urls.account_id);
    expect(again.urls.signing_secret).toBe(first.urls.signing_secret);
    await vi.waitUntil(async () => (await receipts(again.urls.receiver_url)).events === 1, {
      timeout: 30_000,
    });
    await stop(again.cli, 'SIGINT');
  },
);
