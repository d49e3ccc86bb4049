import { randomInt } from 'node:crypto';

/** Randomness that can be had again: `SEED=<number>` repeats a run. */
export interface SeededRandom {
  /** Says how to repeat this run. */
  description: string;
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from 0 up to, but not including, `below`. */
  integer(below: number): number;
  pick<T>(items: readonly T[]): T;
}

/** Takes its seed from the environment, or makes one up; prints it either way. */
export function seededRandom(): SeededRandom {
  const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31));
  const description = `SEED=${seed}`;
  console.log(`  ${description}`);
  let state = seed >>> 0;
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (below: number): number => Math.floor(next() * below);
  return {
    ...{ description, next, integer },
    pick: (items) => items[integer(items.length)]!,
  };
}
