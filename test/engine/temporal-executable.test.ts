import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { becomesTrue } from '../../src/engine/poll-until.ts';
import { processStart } from '../../src/engine/process-identity.ts';
import { temporalExecutable } from '../../src/engine/temporal-executable.ts';
import { cachedToolPath } from '../../src/engine/tool-cache.ts';
import { silent, temporaryFolder } from './support.ts';

const OLD = 'temporal version 1.4.9 (Server 1.28.0, UI 2.40.0)';
const RECENT = 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)';
const BUILT = 'temporal version 0.0.0-DEV (Server 1.29.1, UI 2.42.1)';

let bin: string;
let cache: string;
let messages: string[];

beforeEach(() => {
  const folder = temporaryFolder();
  bin = join(folder, 'bin');
  cache = join(folder, 'cache');
  messages = [];
  mkdirSync(bin);
  mkdirSync(cache);
  // Nothing that this machine may have: neither its Temporal nor its Go.
  for (const name of ['sleep', 'chmod']) symlinkSync(`/bin/${name}`, join(bin, name));
  vi.stubEnv('PATH', bin);
  // No internet, on any machine: what is downloaded goes through a proxy that is not there.
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']) {
    vi.stubEnv(name, 'http://127.0.0.1:1');
  }
  return () => vi.unstubAllEnvs();
});

function program(path: string, script: string): string {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function find(signal = new AbortController().signal): Promise<string> {
  const progress = (message: string): void => void messages.push(message);
  return await temporalExecutable({ signal, progress, log: silent }, cache);
}

/** A `go` that, after a moment, "builds" a CLI that tells this version. */
const go = (version: string): string =>
  `sleep 0.3; printf '#!/bin/sh\\necho "${version}"\\n' > "$GOBIN/temporal"; chmod 755 "$GOBIN/temporal"`;

describe('the Temporal CLI', () => {
  it('is the one on PATH', async () => {
    const path = program(join(bin, 'temporal'), `echo "${RECENT}"`);
    expect(await find()).toBe(path);
  });

  it('is the cached one when that on PATH is too old or broken', async () => {
    const cached = program(cachedToolPath(cache, 'temporal'), `echo "${BUILT}"`);
    for (const script of [`echo "${OLD}"`, 'echo cannot run >&2; exit 127']) {
      program(join(bin, 'temporal'), script);
      expect(await find()).toBe(cached);
    }
    expect(messages[0]).toContain(`1.5.0 or later is needed (${OLD})`);
    expect(messages[1]).toContain('cannot run');
  });

  it(
    'is built once, by several processes at a time without harm',
    { timeout: 120_000 },
    async () => {
      program(join(bin, 'go'), go(BUILT));
      const cached = cachedToolPath(cache, 'temporal');
      expect(await Promise.all([find(), find(), find()])).toEqual([cached, cached, cached]);
      expect(messages.join()).toContain('takes some minutes, once');
      expect(readdirSync(cache)).toHaveLength(1);
      program(join(bin, 'go'), 'exit 1');
      expect(await find()).toBe(cached);
    },
  );

  it('cannot be had: says why and what to do, soon', { timeout: 120_000 }, async () => {
    const began = Date.now();
    await expect(find()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /cannot be had: the download failed: .*; Go is not installed\. Install .*TEMPORAL_ADDRESS/s,
      ) as string,
    });
    expect(Date.now() - began).toBeLessThan(15_000);
    expect(readdirSync(cache)).toEqual([]);
  });

  it('quotes a build that fails', { timeout: 120_000 }, async () => {
    program(join(bin, 'go'), 'echo "go: no space left on device" >&2; exit 1');
    await expect(find()).rejects.toThrow(/go install failed: go: no space left on device/);
  });

  it('is no longer built when aborted, children included', { timeout: 120_000 }, async () => {
    const pidFile = join(cache, '..', 'pid');
    program(join(bin, 'go'), `sleep 600 & echo $! > "${pidFile}"; wait`);
    const giveUp = new AbortController();
    const building = find(giveUp.signal);
    building.catch(() => undefined);
    await expect.poll(() => readIfThere(pidFile), { timeout: 20_000 }).toMatch(/^\d+\n$/);
    const compiler = Number(readIfThere(pidFile));
    expect(processStart(compiler)).toBeDefined();
    giveUp.abort(new Error('enough'));
    await expect(building).rejects.toThrow('enough');
    expect(await becomesTrue(() => processStart(compiler) === undefined, 5_000)).toBe(true);
    expect(readdirSync(cache)).toEqual([]);
  });
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
