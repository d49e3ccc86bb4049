/** Something that runs until it is stopped. */
export interface Running {
  stop(): Promise<void>;
  /** Rejects when it cannot go on. */
  failed: Promise<never>;
  /** Resolves when it has done what it was started for, and is to be stopped; most never do. */
  finished?: Promise<void>;
}

/** For what cannot fail by itself. */
export const NEVER = new Promise<never>(() => undefined);

/**
 * Starts something, lets it run until SIGINT or SIGTERM, or until it is finished, and stops it in
 * order. A signal while it
 * is still starting gives the start up. A second one ends the process at once; what is left behind
 * is dealt with at the next start.
 */
export async function runUntilSignal(
  start: (signal: AbortSignal) => Promise<Running>,
  say: (message: string) => void,
): Promise<void> {
  const asked = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked.signal.aborted) process.exit(130);
    say(`${signal}: stopping …`);
    asked.abort(new StartGivenUp());
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    const running = await start(asked.signal);
    try {
      const { failed, finished = NEVER } = running;
      await Promise.race([untilAborted(asked.signal), failed, finished]);
    } finally {
      await running.stop();
    }
  } catch (error) {
    if (!(error instanceof StartGivenUp)) throw error;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

class StartGivenUp extends Error {}

/** Resolves when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
