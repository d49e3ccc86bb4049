import { errorMessage } from '../errors.ts';
import type { Logger } from '../log.ts';

/** Collects ids that are done with and hands them on in batches, one batch at a time. */
export interface Marker {
  add(id: string): void;
  /** Resolves when everything added so far has been handed on, or has failed to be. */
  flush(): Promise<void>;
}

/**
 * A batch that fails is dropped with a warning: the claims' leases end, the events are claimed
 * again, and a workflow that exists already counts as started.
 */
export function createMarker(mark: (ids: string[]) => Promise<void>, log: Logger): Marker {
  let waiting: string[] = [];
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await mark(batch);
      } catch (error) {
        log.warn({ error: errorMessage(error), events: batch.length }, 'started events not marked');
      }
    }
    running = undefined;
  }

  return {
    add(id) {
      waiting.push(id);
      running ??= drain();
    },
    flush: async () => running,
  };
}
