import type { AppError } from '../errors.ts';
import type { EngineLog } from './engine-context.ts';
import type { TemporalOptions } from './temporal-arguments.ts';

/** What everything that works on a data directory is told. */
export interface InstanceOptions {
  /** Everything we keep lies here; created when missing. */
  dataDir: string;
  /** A PostgreSQL server of your own; then none is started. */
  databaseUrl?: string | undefined;
  /** Gives the start up when aborted. It has no effect on what is up. */
  signal?: AbortSignal | undefined;
  /** Takes one line for the person waiting. */
  progress: (message: string) => void;
  log: EngineLog;
  /** Called when a server keeps dying and is no longer restarted. By default it is only logged. */
  onFatal?: ((error: AppError) => void) | undefined;
}

/** What an engine is told on top. */
export interface EngineOptions extends InstanceOptions {
  /** Where the Temporal CLI is kept once it was downloaded or built; may be shared by many. */
  cacheDir: string;
  /** A Temporal server of your own; then none is started. */
  temporalAddress?: string | undefined;
  temporal?: TemporalOptions | undefined;
}

/** A PostgreSQL and a Temporal server that work. */
export interface Engine {
  databaseUrl: string;
  temporalAddress: string;
  /** Null when the server is not ours or runs without its web interface. */
  temporalUiUrl: string | null;
  /** Which of the two are ours. */
  embedded: { postgres: boolean; temporal: boolean };
  /** Ends what is ours, Temporal first, and waits until it is gone. */
  stop: () => Promise<void>;
}

/** A database that works, for as long as a command needs it. */
export interface Database {
  databaseUrl: string;
  /** Where the running instance's Temporal is; null when none runs on this data directory. */
  temporalAddress: string | null;
  /** Ends what was started for this command only, and waits until it is gone. */
  stop: () => Promise<void>;
}
