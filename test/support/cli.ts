import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A running command of ours, with what it has printed so far. */
export interface RunningCli {
  process: ChildProcess;
  output: { stdout: string; stderr: string };
  finished: Promise<CliResult>;
}

/** Starts the command line in a process of its own, with this environment on top of a clean one. */
export function startCli(args: string[], env: Record<string, string>): RunningCli {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts', ...args], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  const finished = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    ...output,
  }));
  return { process: child, output, finished };
}

/** Runs a command to its end. */
export function runCli(args: string[], env: Record<string, string>): Promise<CliResult> {
  return startCli(args, env).finished;
}

/** Runs a command with --json, expects it to succeed, and answers its one JSON value. */
export async function runJson<T>(args: string[], env: Record<string, string>): Promise<T> {
  const { code, stdout, stderr } = await runCli([...args, '--json'], env);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout) as T;
}
