import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { errorMessage, unavailable } from '../errors.ts';
import { runCommand } from './run-command.ts';

/** What the Temporal SDK can download: the CLI, and the test server that skips time. */
export type SdkTool = 'cli' | 'temporal-test-server';

const ORIGIN = 'https://temporal.download';
const PROBE_LIMIT_MS = 5_000;
const STALLED_AFTER_MS = 10_000;
const POLL_MS = 250;

/**
 * Has the Temporal SDK download a tool into an empty folder; the path of the executable.
 * Throws `unavailable` within seconds when the place it comes from cannot be reached, or when
 * nothing has arrived for 10 s; throws the signal's reason when aborted.
 */
export async function downloadWithSdk(
  tool: SdkTool,
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  await probe(tool, signal);
  // A process of its own: the SDK's download knows no time limit, and a process can be killed.
  const script = new URL(`./sdk-download-child${extname(import.meta.url)}`, import.meta.url);
  const tsx = createRequire(import.meta.url).resolve('tsx');
  const stop = new AbortController();
  const child = runCommand(
    process.execPath,
    ['--import', tsx, fileURLToPath(script), tool, folder],
    { signal: AbortSignal.any([signal, stop.signal]) },
  ).catch(() => undefined);
  try {
    return await Promise.race([
      arrival(folder, stop.signal),
      child.then((result): never => {
        signal.throwIfAborted();
        const lines = result?.output.trim().split('\n') ?? [];
        throw unavailable(`the download failed: ${lines.at(-1) ?? 'killed'}`);
      }),
    ]);
  } finally {
    stop.abort();
    await child;
  }
}

async function probe(tool: SdkTool, signal: AbortSignal): Promise<void> {
  const { HTTPS_PROXY, https_proxy, ALL_PROXY, all_proxy } = process.env;
  // Our fetch knows no proxies, the SDK does: there, only the watch for arriving bytes is left.
  if (HTTPS_PROXY || https_proxy || ALL_PROXY || all_proxy) return;
  const limited = { signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_LIMIT_MS)]) };
  const query = `arch=${process.arch === 'x64' ? 'amd64' : process.arch}&platform=${process.platform}`;
  try {
    const answer = await fetch(`${ORIGIN}/${tool}/latest?${query}`, limited);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const { archiveUrl } = (await answer.json()) as { archiveUrl: string };
    const archive = await fetch(archiveUrl, { ...limited, method: 'HEAD' });
    if (!archive.ok) throw new Error(`status ${archive.status} for ${archiveUrl}`);
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof Error && error.cause ? error.cause : error;
    throw unavailable(`${ORIGIN} cannot be reached (${errorMessage(cause)})`, error);
  }
}

/** Resolves with the finished file's path; rejects when nothing has been written for a while. */
async function arrival(folder: string, stop: AbortSignal): Promise<string> {
  let bytes = -1;
  let grew = Date.now();
  while (!stop.aborted) {
    const names = readdirSync(folder);
    const done = names.find((name) => !name.endsWith('.downloading'));
    if (done !== undefined) return join(folder, done);
    const sizes = names.map((name) => sizeOf(join(folder, name)));
    const now = sizes.reduce((sum, size) => sum + size, 0);
    if (now !== bytes) grew = Date.now();
    bytes = now;
    if (Date.now() - grew > STALLED_AFTER_MS) {
      throw unavailable(`the download stalled: nothing for ${STALLED_AFTER_MS / 1000} s`);
    }
    await delay(POLL_MS);
  }
  throw unavailable('the download was stopped');
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
