import type { Logger } from 'pino';
import type { AppError } from '../errors.ts';

/** The methods of a pino logger that the engine calls. */
export type EngineLog = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** What every part of the engine needs while it starts and runs. */
export interface EngineContext {
  /** Absolute, existing, without symbolic links. */
  dataDir: string;
  /** Aborted when the start is to be given up. */
  signal: AbortSignal;
  /** Takes one line for the person waiting. */
  progress: (message: string) => void;
  log: EngineLog;
  /** Called when a server keeps dying and is no longer restarted. */
  onFatal: (error: AppError) => void;
  /** Called with each process that is started, before it is ready. */
  onSpawn: (name: string, pid: number) => void;
}
