import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process of the benchmark, spoken to by messages. */
export interface Child<ToChild, FromChild extends { kind: string }> {
  process: ChildProcess;
  tell(message: ToChild): void;
  /** The next message of this kind that has not been taken yet. */
  next<Kind extends FromChild['kind']>(kind: Kind): Promise<Extract<FromChild, { kind: Kind }>>;
  stop(): Promise<void>;
}

/** Runs a TypeScript file of the project in a process of its own. */
export function startChild<ToChild extends object, FromChild extends { kind: string }>(
  file: string,
  args: string[],
  env: Record<string, string> = {},
): Child<ToChild, FromChild> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  const waiting = new Map<string, (message: FromChild) => void>();
  child.on('message', (message: FromChild) => {
    waiting.get(message.kind)?.(message);
    waiting.delete(message.kind);
  });
  return {
    process: child,
    tell: (message) => void child.send(message),
    next(kind) {
      const message = new Promise((resolve) => waiting.set(kind, resolve));
      const ended = gone.then(() => Promise.reject(new Error(`${file} ended`)));
      return Promise.race([message, ended]) as never;
    },
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      await gone;
    },
  };
}
