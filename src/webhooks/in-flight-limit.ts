/** Bounds how much runs at once under one key; see {@link createInFlightLimit}. */
export interface InFlightLimit {
  /**
   * Runs `fn` as soon as fewer than the limit run under `key`; waiters go first come, first
   * served. Once nothing has finished under the key for `patienceMs` milliseconds, a waiter gives
   * up and gets undefined: a queue that moves is worth waiting in, one that stands still is not.
   */
  run<T>(key: string, patienceMs: number, fn: () => Promise<T>): Promise<T | undefined>;
  /** How many keys are running or waiting; zero when idle. */
  readonly activeKeys: number;
}

interface Lane {
  running: number;
  /** When something last finished, on the clock of performance.now(). */
  movedAt: number;
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
    if (!lane) {
      lane = { running: 0, movedAt: performance.now(), waiting: new Set() };
      lanes.set(key, lane);
    }
    return lane;
  }

  /** Hands the freed place to the longest waiter, so that a newcomer cannot overtake. */
  function release(key: string, lane: Lane): void {
    lane.movedAt = performance.now();
    const [next] = lane.waiting;
    if (next) {
      lane.waiting.delete(next);
      next();
    } else if (--lane.running === 0) {
      lanes.delete(key);
    }
  }

  return {
    async run(key, patienceMs, fn) {
      const lane = laneOf(key);
      if (lane.running < max) lane.running += 1;
      else if (!(await turn(lane, patienceMs))) return undefined;
      try {
        return await fn();
      } finally {
        release(key, lane);
      }
    },
    get activeKeys() {
      return lanes.size;
    },
  };
}

/** True when a place has been handed over; false when the lane stood still for too long. */
function turn(lane: Lane, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const cameAt = performance.now();
    const proceed = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const look = () => {
      const left = Math.max(lane.movedAt, cameAt) + patienceMs - performance.now();
      if (left > 0) {
        timer = setTimeout(look, left);
      } else {
        lane.waiting.delete(proceed);
        resolve(false);
      }
    };
    let timer = setTimeout(look, patienceMs);
    lane.waiting.add(proceed);
  });
}
