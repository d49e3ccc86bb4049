import { errorMessage } from '../errors.ts';
import type { Logger } from '../log.ts';

/** Collects what is done with and hands it on in batches, one batch at a time. */
export interface Marker<Item> {
  add(item: Item): void;
  /** Resolves when everything added so far has been handed on, or has failed to be. */
  flush(): Promise<void>;
}

/**
 * A batch that fails is dropped with a warning: the claims' leases end, the tasks are claimed
 * again, and a workflow that exists already counts as started.
 */
export function createMarker<Item>(
  mark: (items: Item[]) => Promise<void>,
  log: Logger,
): Marker<Item> {
  let waiting: Item[] = [];
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await mark(batch);
      } catch (error) {
        log.warn({ error: errorMessage(error), tasks: batch.length }, 'told tasks not marked');
      }
    }
    running = undefined;
  }

  return {
    add(item) {
      waiting.push(item);
      running ??= drain();
    },
    flush: async () => running,
  };
}
