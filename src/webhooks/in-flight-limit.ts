/** Bounds how much runs at once under one key; see {@link createInFlightLimit}. */
export interface InFlightLimit {
  /**
   * Runs `fn` as soon as fewer than the limit run under `key`; waiters go first come, first
   * served. Rejects with the signal's reason when it aborts before `fn` has begun.
   */
  run<T>(key: string, fn: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** True when a new call under `key` would have to wait. */
  isAtLimit(key: string): boolean;
  /** How many keys are running or waiting; zero when idle. */
  readonly activeKeys: number;
}

interface Lane {
  running: number;
  /** Insertion order is the order of service. */
  readonly waiting: Set<() => void>;
}

/**
 * A limit on simultaneous work per key, so that one slow endpoint holds up only itself.
 * A key is forgotten as soon as nothing runs or waits under it.
 */
export function createInFlightLimit(max: number): InFlightLimit {
  if (!Number.isInteger(max) || max < 1) throw new RangeError('The limit must be at least 1.');
  const lanes = new Map<string, Lane>();

  function laneOf(key: string): Lane {
    let lane = lanes.get(key);
    if (!lane) lanes.set(key, (lane = { running: 0, waiting: new Set() }));
    return lane;
  }

  /** Hands the freed place to the longest waiter, so that a newcomer cannot overtake. */
  function release(key: string, lane: Lane): void {
    const [next] = lane.waiting;
    if (next) {
      lane.waiting.delete(next);
      next();
    } else if (--lane.running === 0) {
      lanes.delete(key);
    }
  }

  return {
    async run(key, fn, signal) {
      signal?.throwIfAborted();
      const lane = laneOf(key);
      if (lane.running < max) lane.running += 1;
      else await turn(lane, signal);
      try {
        return await fn();
      } finally {
        release(key, lane);
      }
    },
    isAtLimit: (key) => (lanes.get(key)?.running ?? 0) >= max,
    get activeKeys() {
      return lanes.size;
    },
  };
}

/** Resolves when a place has been handed over; leaves the queue when the signal aborts. */
function turn(lane: Lane, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const proceed = () => {
      signal?.removeEventListener('abort', abandon);
      resolve();
    };
    const abandon = () => {
      lane.waiting.delete(proceed);
      reject(signal?.reason as Error);
    };
    lane.waiting.add(proceed);
    signal?.addEventListener('abort', abandon, { once: true });
  });
}
