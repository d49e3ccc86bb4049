import { z } from 'zod';
import { parseInput } from '../input.ts';

const named = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(120, 'must have at most 120 characters')
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'must be one line of text'),
});

/** The name of a list, farm or search as its account gives it; a wrong one is a `bad_request`. */
export function parseSourceName(name: unknown): string {
  return parseInput(named, { name }).name;
}
