import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** A process of this service as an operator starts it. */
export interface ServiceProcess {
  /** Everything it has said on each stream so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when it has ended and its streams are closed; the code is null after a signal. */
  readonly exited: Promise<number | null>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** True while a process of its group is there: it, or one that it started. */
  groupExists(): boolean;
  /** Waits until standard error matches, and answers with the match. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

const running = new Set<ServiceProcess>();

/** Starts `lead-events <args>`; the environment is what is given and PATH. */
export function startProcess(args: string[], env: Record<string, string>): ServiceProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...args], {
    // A group of its own, by which what it leaves behind can be found.
    detached: true,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const pid = child.pid ?? 0;
  const groupExists = (): boolean => {
    try {
      return process.kill(-pid, 0);
    } catch {
      return false;
    }
  };
  const started: ServiceProcess = {
    get stdout() {
      return said.stdout;
    },
    get stderr() {
      return said.stderr;
    },
    exited: once(child, 'close').then(([code]) => {
      running.delete(started);
      return code as number | null;
    }),
    kill: (signal) => void child.kill(signal),
    groupExists,
    says: (pattern) =>
      expect
        .poll(
          () => {
            const match = pattern.exec(said.stderr);
            if (!match && child.exitCode !== null) throw new Error(`it ended: ${said.stderr}`);
            return match;
          },
          { timeout: 30_000, message: `${args.join(' ')} said: ${said.stderr}` },
        )
        .not.toBeNull()
        .then(() => pattern.exec(said.stderr) as RegExpExecArray),
  };
  running.add(started);
  return started;
}

/** Ends whatever a failed test has left running. */
export async function endProcesses(): Promise<void> {
  const left = [...running];
  for (const { kill } of left) kill('SIGKILL');
  await Promise.all(left.map(({ exited }) => exited));
}

/** Runs a command with `--json` to its end; standard output is exactly one JSON value. */
export async function runJson(
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number | null; json: Record<string, unknown>; stderr: string }> {
  const command = startProcess([...args, '--json'], env);
  const code = await command.exited;
  expect(command.stdout, command.stderr).toMatch(/^[^\n]+\n$/);
  return { code, json: JSON.parse(command.stdout) as never, stderr: command.stderr };
}
