import { spawn } from 'node:child_process';
import { killGroup } from './kill-group.ts';

/** How to run a command to its end. */
export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** Written to the command's standard input. */
  input?: string;
  /** Milliseconds after which the command and its children are killed. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  /** Each line of standard output and standard error as it comes. */
  onLine?: (line: string) => void;
}

/** How a command ended; `code` is null when it was killed or could not be run at all. */
export interface CommandResult {
  code: number | null;
  /** Standard output and standard error, interleaved, the last 64 KiB. */
  output: string;
  timedOut: boolean;
}

const OUTPUT_LIMIT = 64 * 1024;

/**
 * Runs a command to its end in a process group of its own, so that all it starts can be ended with
 * it. Never throws for a command that fails; throws the signal's reason when aborted.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<CommandResult> {
  options.signal?.throwIfAborted();
  const { cwd, env, uid, gid } = options;
  const child = spawn(command, args, {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  });
  let output = '';
  let pending = '';
  let timedOut = false;
  const collect = (chunk: string): void => {
    output = (output + chunk).slice(-OUTPUT_LIMIT);
    const lines = (pending + chunk).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) options.onLine?.(line);
  };
  child.stdout.setEncoding('utf8').on('data', collect);
  child.stderr.setEncoding('utf8').on('data', collect);
  child.stdin.on('error', () => undefined); // it may end without reading its input
  child.stdin.end(options.input ?? '');

  const kill = (): void => killGroup(child.pid, 'SIGKILL');
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          kill();
        }, options.timeoutMs);
  options.signal?.addEventListener('abort', kill, { once: true });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  clearTimeout(timer);
  options.signal?.removeEventListener('abort', kill);
  options.signal?.throwIfAborted();
  return { code, output, timedOut };
}
