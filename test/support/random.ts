import { randomInt } from 'node:crypto';
import { createSeededRandom } from '../../src/demo/seeded-random.ts';

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
  const { next, pick } = createSeededRandom(seed);
  return { description, next, integer: (below) => Math.floor(next() * below), pick };
}
