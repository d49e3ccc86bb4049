import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import type { AppError } from '../../src/errors.ts';
import { becomesTrue } from '../../src/engine/poll-until.ts';
import { processStart } from '../../src/engine/process-identity.ts';
import { SupervisedChild, type ChildOptions } from '../../src/engine/supervised-child.ts';
import { silent } from './support.ts';

const pids: number[] = [];
const fatal: AppError[] = [];
const context = {
  ...{ signal: new AbortController().signal, progress: () => undefined, log: silent },
  onFatal: (error: AppError) => void fatal.push(error),
  onSpawn: (_name: string, pid: number) => void pids.push(pid),
};

const child = (script: string, more: Partial<ChildOptions> = {}): SupervisedChild =>
  new SupervisedChild(
    {
      name: 'Server',
      spawn: () => spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' }),
      ready: async () => undefined,
      readyTimeoutMs: 5_000,
      stopSignals: [['SIGTERM', 300]],
      logTail: () => 'last words',
      ...more,
    },
    context,
  );

it('is given up, with its last words, when it keeps dying', { timeout: 30_000 }, async () => {
  const server = child('exit 3');
  await server.start();
  expect(await becomesTrue(() => fatal.length > 0, 60_000)).toBe(true);
  expect(fatal[0]?.message).toMatch(/Server keeps ending.*exit code 3/s);
  await server.stop();
});

it('is killed when it does not heed its signal', { timeout: 30_000 }, async () => {
  const server = child('trap "" TERM; while :; do sleep 1; done');
  await server.start();
  await server.stop();
  expect(processStart(pids.at(-1) ?? 0)).toBeUndefined();
});

it('fails to start, leaving nothing, when it never answers or cannot run', async () => {
  const never = async (signal: AbortSignal): Promise<void> =>
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const slow = child('exec sleep 600', { ready: never, readyTimeoutMs: 200 });
  await expect(slow.start()).rejects.toThrow('Server did not answer within 0.2 s.');
  expect(processStart(pids.at(-1) ?? 0)).toBeUndefined();
  const dying = child('exit 4', { ready: never });
  await expect(dying.start()).rejects.toThrow(/ended while starting \(exit code 4\). last words/);
  const missing = child('', { ready: never, spawn: () => spawn('/no/such/program', []) });
  await expect(missing.start()).rejects.toThrow(/ENOENT/);
});
