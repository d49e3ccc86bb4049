import type { z } from 'zod';
import { badRequest } from './errors.ts';

/** Parses a value from outside; the first fault becomes a `bad_request` that names its field. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const [field] = issue.keys;
    throw badRequest(field ?? 'input', `${field} is not a field that can be set.`);
  }
  const field = issue?.path.join('.') || 'input';
  throw badRequest(field, `${field}: ${issue?.message ?? 'is wrong'}.`);
}

/** The most of a given value that an answer repeats, in characters. */
const SHOWN = 60;

/** A given value as an answer repeats it: as JSON, cut where it is long. */
export function shown(value: unknown): string {
  const characters = [...(JSON.stringify(value) ?? 'nothing')];
  return characters.length > SHOWN
    ? `${characters.slice(0, SHOWN).join('')}…`
    : characters.join('');
}
