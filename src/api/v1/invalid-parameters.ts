import type { z } from 'zod';
import { badRequest, type AppError } from '../../errors.ts';
import { shown } from '../../input.ts';

/** Says which parameter is wrong, what was given, and what is allowed (spec §7.1). */
export function invalidParameters(error: z.ZodError, given: Record<string, unknown>): AppError {
  const [issue] = error.issues;
  const name = String(issue?.path[0] ?? 'query');
  const value = given[name];
  if (Array.isArray(value)) {
    return badRequest(name, `${name}: is given ${value.length} times; once is allowed.`);
  }
  if (value === undefined) {
    return badRequest(name, issue?.path.length ? `${name}: is missing.` : (issue?.message ?? ''));
  }
  return badRequest(name, `${name}: ${issue?.message ?? 'is wrong'}, not ${shown(value)}.`);
}

/** The route has no parameters of these names; it has those that are allowed. */
export function unknownParameters(names: readonly string[], allowed: readonly string[]): AppError {
  const few = names.slice(0, 5).map(shown).join(', ');
  const known = allowed.length === 0 ? 'there are none' : `there are ${allowed.join(', ')}`;
  return badRequest(names[0] ?? 'query', `There is no parameter ${few} here; ${known}.`);
}
