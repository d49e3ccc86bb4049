/** One time limit over everything an attempt does; see {@link startDeadline}. */
export interface Deadline {
  /** Aborts when the time is up or the caller gives up, whichever is first. */
  readonly signal: AbortSignal;
  /** True when it was the time that ended it. */
  readonly isPast: boolean;
  /** Stops the clock; must be called when the work is over. */
  clear(): void;
}

/** Starts a limit of `milliseconds`, joined with the caller's own signal. */
export function startDeadline(milliseconds: number, caller?: AbortSignal): Deadline {
  const controller = new AbortController();
  let isPast = false;
  const expire = () => {
    isPast = !controller.signal.aborted;
    controller.abort();
  };
  const giveUp = () => controller.abort();
  const timer = setTimeout(expire, milliseconds);
  // By hand, since AbortSignal.any keeps every follower alive as long as its source on Node 20.
  if (caller?.aborted) giveUp();
  else caller?.addEventListener('abort', giveUp, { once: true });

  return {
    signal: controller.signal,
    get isPast() {
      return isPast;
    },
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', giveUp);
    },
  };
}
