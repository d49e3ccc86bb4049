import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage, unavailable } from '../errors.ts';
import type { EngineContext } from './engine-context.ts';
import { killGroup } from './kill-group.ts';

/** A server process: how to start it, how to tell that it works, how to end it. */
export interface ChildOptions {
  name: string;
  /** Starts the process `detached`, so that Ctrl-C in a terminal reaches only ourselves. */
  spawn: () => ChildProcess;
  /** Resolves when the server answers; rejects when the signal is aborted. */
  ready: (signal: AbortSignal) => Promise<void>;
  readyTimeoutMs: number;
  /** Signals to end it with, in turn, and how many milliseconds each has; then SIGKILL. */
  stopSignals: readonly (readonly [NodeJS.Signals, number])[];
  /** The end of its log, for error messages. */
  logTail: () => string;
}

const MAX_RESTARTS = 5;
const FIRST_BACKOFF_MS = 100;
const STABLE_AFTER_MS = 60_000;

/**
 * Keeps one server process running: restarts it when it dies unexpectedly (0.1 s later, then 0.2 s,
 * 0.4 s …) and calls the context's `onFatal` when it died six times without a minute's rest.
 */
export class SupervisedChild {
  readonly #options: ChildOptions;
  readonly #context: Omit<EngineContext, 'dataDir'>;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #exit: Promise<string> = Promise.resolve('');
  #restarts = 0;
  #restarting: Promise<void> = Promise.resolve();

  constructor(options: ChildOptions, context: Omit<EngineContext, 'dataDir'>) {
    this.#options = options;
    this.#context = context;
    process.once('exit', this.#endWithUs);
  }

  /** Starts the process and waits until it is ready; when it fails, nothing is left running. */
  async start(): Promise<void> {
    try {
      await this.#launch(AbortSignal.any([this.#context.signal, this.#stopping.signal]));
    } catch (error) {
      process.off('exit', this.#endWithUs);
      throw error;
    }
  }

  /** Ends the process and waits until it is gone; no restart comes after this. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#restarting;
    await this.#end();
    process.off('exit', this.#endWithUs);
  }

  async #launch(signal: AbortSignal): Promise<void> {
    const { name, ready, readyTimeoutMs, logTail } = this.#options;
    const child = this.#options.spawn();
    this.#child = child;
    const exit = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, by) => resolve(by ? `killed by ${by}` : `exit code ${code}`));
    });
    this.#exit = exit;
    if (child.pid !== undefined) this.#context.onSpawn(name, child.pid);
    const attempt = new AbortController();
    const timer = setTimeout(() => {
      attempt.abort(unavailable(`${name} did not answer within ${readyTimeoutMs / 1000} s.`));
    }, readyTimeoutMs);
    const answers = ready(AbortSignal.any([signal, attempt.signal]));
    answers.catch(() => undefined); // when the exit wins the race
    const ended = exit.then((how): never => {
      throw unavailable(`${name} ended while starting (${how}). ${logTail()}`.trim());
    });
    try {
      await Promise.race([answers, ended]);
    } catch (error) {
      await this.#end();
      throw error;
    } finally {
      clearTimeout(timer);
      attempt.abort();
      ended.catch(() => undefined);
    }
    const since = Date.now();
    void exit.then((how) => {
      if (this.#stopping.signal.aborted) return;
      if (Date.now() - since > STABLE_AFTER_MS) this.#restarts = 0;
      this.#restarting = this.#restart(how);
    });
  }

  /** Never rejects: what cannot be restarted is handed to `onFatal`. */
  async #restart(how: string): Promise<void> {
    const { name } = this.#options;
    const { log, progress, onFatal } = this.#context;
    const signal = this.#stopping.signal;
    log.error({ how, log: this.#options.logTail() }, `${name} ended unexpectedly`);
    while (this.#restarts < MAX_RESTARTS) {
      const backoffMs = FIRST_BACKOFF_MS * 2 ** this.#restarts++;
      progress(`${name} ended unexpectedly (${how}); restarting it …`);
      try {
        await delay(backoffMs, undefined, { signal });
        await this.#launch(signal);
        log.warn({ restarts: this.#restarts }, `${name} runs again`);
        progress(`${name} runs again.`);
        return;
      } catch (error) {
        if (signal.aborted) return;
        how = errorMessage(error);
        log.error({ err: error }, `${name} could not be restarted`);
      }
    }
    onFatal(unavailable(`${name} keeps ending and is not restarted any more: ${how}`));
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    for (const [signal, limitMs] of this.#options.stopSignals) {
      if (child.exitCode !== null || child.signalCode !== null) break;
      child.kill(signal);
      const timer = new AbortController();
      const slow = delay(limitMs, undefined, { signal: timer.signal }).catch(() => undefined);
      await Promise.race([this.#exit, slow]);
      timer.abort();
    }
    if (child.exitCode === null && child.signalCode === null) killGroup(child.pid, 'SIGKILL');
    await this.#exit;
  }

  /** Without this, a crash of ours would leave the servers behind until the next start. */
  readonly #endWithUs = (): void => {
    const [first] = this.#options.stopSignals;
    if (first) this.#child?.kill(first[0]);
  };
}
