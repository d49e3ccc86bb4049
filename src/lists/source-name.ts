import { z } from 'zod';
import { parseInput } from '../input.ts';
import { isOneLine, ONE_LINE } from '../one-line.ts';

const named = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(120, 'must have at most 120 characters')
    .refine(isOneLine, ONE_LINE),
});

/** The name of a list, farm or search as its account gives it; a wrong one is a `bad_request`. */
export function parseSourceName(name: unknown): string {
  return parseInput(named, { name }).name;
}
