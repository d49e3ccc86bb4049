import { unavailable, type AppError } from '../../errors.ts';

/** What a scenario promises did not come, or came otherwise. */
export function notSeen(what: string): AppError {
  return unavailable(`The demo did not see what it promises: ${what}`);
}

/** Holds a scenario to what it promises. */
export function expectSeen(condition: boolean, what: string): asserts condition {
  if (!condition) throw notSeen(what);
}
