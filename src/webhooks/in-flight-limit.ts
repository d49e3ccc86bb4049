/** Bounds how much runs at once under one key; see {@link createInFlightLimit}. */
export interface InFlightLimit {
  /**
   * Runs `fn` as soon as fewer than the limit run under `key`. Those that wait are served oldest
   * first, by `since`. It gets undefined, and `fn` does not run, when it is not worth waiting: the
   * lane stands still, or has too many waiting who are older.
   */
  run<T>(key: string, terms: Terms, fn: () => Promise<T>): Promise<T | undefined>;
  /**
   * After how many milliseconds one that got no turn should ask again. Every call takes a place in
   * the line of those who stay away, so that they come back one after another.
   */
  comeBackIn(key: string): number;
  /** How many keys are running or waiting; zero when idle. */
  readonly activeKeys: number;
}

/** On what terms one waits for its turn; times are in milliseconds. */
export interface Terms {
  /** When it asked for the first time, since the epoch. */
  since: number;
  /** It gives up once nothing has finished under its key for so long. */
  standstillMs: number;
  /** Beyond the first few places, it waits only where its turn should come within this time. */
  waitMs: number;
}

interface Lane {
  running: number;
  /** When something last began or finished, on the clock of performance.now(). */
  movedAt: number;
  /** When the last waiter begins, on the same clock; it may be yet to come. */
  servedAt: number;
  /** How long the work takes lately; undefined until some has finished. */
  recentMs: number | undefined;
  /** The oldest first. */
  readonly waiting: Waiter[];
  /** How many were told to come back and are not due yet, as of `countedAt`. */
  away: number;
  countedAt: number;
}

interface Waiter {
  since: number;
  serve(afterMs: number): void;
  sendAway(): void;
}

/** How much a single piece of work counts in what is remembered of a lane's speed. */
const WEIGHT = 0.2;

/** Work that takes longer than this makes a lane slow. */
const SLOW_MS = 1_000;

/** The most that a waiter in a slow lane begins later than it could. */
const LONGEST_GAP_MS = 250;

/** Nobody comes back sooner; within this time a quick lane has served those who wait. */
const LEAST_AWAY_MS = 1_000;

/**
 * However slow a lane is, one more may come back after this time. Each return costs some ten
 * milliseconds of a processor; and this bounds how long a backlog sleeps on when a lane is quick
 * again: a thousand come back within 100 seconds.
 */
const LONGEST_STEP_MS = 100;

/** A backlog that is longer than that comes back in less than such steps. */
const LONGEST_AWAY_MS = 300_000;

/**
 * A limit on simultaneous work per key, so that one slow endpoint holds up only itself. In its lane
 * wait as many as may run, or more when the lane is quick; others are sent away, since whoever waits
 * holds something that other endpoints need. A key is forgotten as soon as nothing runs under it.
 */
export function createInFlightLimit(max: number): InFlightLimit {
  if (!Number.isInteger(max) || max < 1) throw new RangeError('The limit must be at least 1.');
  const lanes = new Map<string, Lane>();

  function laneOf(key: string): Lane {
    let lane = lanes.get(key);
    if (!lane) {
      const at = performance.now();
      lane = {
        ...{ running: 0, movedAt: at, servedAt: at, recentMs: undefined },
        ...{ waiting: [], away: 0, countedAt: at },
      };
      lanes.set(key, lane);
    }
    return lane;
  }

  /** Milliseconds from one turn to the next: what hangs counts before it has ended. */
  function stepMs(lane: Lane): number {
    return Math.max(lane.recentMs ?? 0, standstill(lane)) / max;
  }

  /** Lets a newcomer wait; when that is one too many, the youngest has to go. */
  function enter(lane: Lane, newcomer: Waiter, waitMs: number): void {
    const { waiting } = lane;
    const younger = waiting.findLastIndex(({ since }) => since <= newcomer.since) + 1;
    waiting.splice(younger, 0, newcomer);
    const { length } = waiting;
    if (length > max && length * stepMs(lane) > waitMs) waiting.pop()?.sendAway();
  }

  /** Hands the freed place to the oldest waiter, so that a newcomer cannot overtake. */
  function release(key: string, lane: Lane, tookMs: number): void {
    lane.recentMs = (lane.recentMs ?? tookMs) * (1 - WEIGHT) + tookMs * WEIGHT;
    lane.movedAt = performance.now();
    const next = lane.waiting.shift();
    if (next) next.serve(untilNextStart(lane));
    else if (--lane.running === 0) lanes.delete(key);
  }

  /**
   * What began together times out together, and what follows would do so again, every ten seconds: a
   * burst that others feel. Beginning at twice the lane's pace at the most draws it apart, and costs
   * nothing once it is.
   */
  function untilNextStart(lane: Lane): number {
    const { recentMs = 0, movedAt, servedAt } = lane;
    const gapMs = recentMs > SLOW_MS ? Math.min(recentMs / max / 2, LONGEST_GAP_MS) : 0;
    lane.servedAt = Math.max(movedAt, servedAt + gapMs);
    return lane.servedAt - movedAt;
  }

  /** True when a place has been handed over. */
  function turn(lane: Lane, { since, standstillMs, waitMs }: Terms): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        since,
        serve(afterMs) {
          clearTimeout(timer);
          if (afterMs > 0) setTimeout(resolve, afterMs, true);
          else resolve(true);
        },
        sendAway() {
          clearTimeout(timer);
          resolve(false);
        },
      };
      let timer: NodeJS.Timeout | undefined;
      const look = (): void => {
        const left = standstillMs - standstill(lane);
        if (left > 0) {
          timer = setTimeout(look, left);
          return;
        }
        const place = lane.waiting.indexOf(waiter);
        if (place >= 0) lane.waiting.splice(place, 1);
        waiter.sendAway();
      };
      look();
      if (timer) enter(lane, waiter, waitMs);
    });
  }

  return {
    async run(key, terms, fn) {
      const lane = laneOf(key);
      if (lane.running < max) {
        lane.running += 1;
        lane.movedAt = performance.now();
      } else if (!(await turn(lane, terms))) {
        return undefined;
      }
      const startedAt = performance.now();
      try {
        return await fn();
      } finally {
        release(key, lane, performance.now() - startedAt);
      }
    },
    comeBackIn(key) {
      const lane = lanes.get(key);
      if (!lane) return LEAST_AWAY_MS;
      const step = Math.min(stepMs(lane), LONGEST_STEP_MS);
      const at = performance.now();
      // Counted in places, not in time: when the lane is quick again, they are soon passed.
      if (step > 0) lane.away = Math.max(0, lane.away - (at - lane.countedAt) / step);
      lane.countedAt = at;
      lane.away += 1;
      return Math.round(LEAST_AWAY_MS + ((lane.away * step) % LONGEST_AWAY_MS));
    },
    get activeKeys() {
      return lanes.size;
    },
  };
}

function standstill(lane: Lane): number {
  return performance.now() - lane.movedAt;
}
