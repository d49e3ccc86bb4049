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
  /** Another sequence, for one of several that draw at the same time: each then repeats its own. */
  fork(): SeededRandom;
}

/** Takes its seed from the environment, or makes one up; prints it either way. */
export function seededRandom(): SeededRandom {
  const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31));
  const description = `SEED=${seed}`;
  console.log(`  ${description}`);
  return fromSeed(seed, description);
}

function fromSeed(seed: number, description: string): SeededRandom {
  const { next, pick } = createSeededRandom(seed);
  const integer = (below: number) => Math.floor(next() * below);
  return {
    ...{ description, next, pick, integer },
    fork: () => fromSeed(integer(2 ** 31), description),
  };
}
