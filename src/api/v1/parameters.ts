import { z } from '@hono/zod-openapi';
import { LEAD_TYPE_IDS, type LeadType } from '../../domain/lead-type.ts';
import { TIERS } from '../../domain/tier.ts';

/*
 * The query parameters of the Read API. Each message says what is allowed; what was given is added
 * where the answer is made (invalid-parameters.ts).
 */

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`);

export const limit = wholeNumber(1, 100)
  .default(25)
  .openapi({
    param: { description: 'How many, 1 to 100.' },
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 25,
  });

const FARTHEST = 999_999_999;

export const offset = wholeNumber(0, FARTHEST)
  .default(0)
  .openapi({
    param: { description: 'How many to skip.' },
    type: 'integer',
    minimum: 0,
    maximum: FARTHEST,
    default: 0,
  });

/** One of a few words. */
export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

export const tier = oneOf(TIERS);
export const leadType = oneOf(LEAD_TYPE_IDS as [LeadType, ...LeadType[]]);
export const minScore = wholeNumber(0, 100).openapi({ type: 'integer', minimum: 0, maximum: 100 });

/** An id, or any other short text. */
export const shortText = (name: string) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(200, 'must have 200 characters at most')
    // PostgreSQL cannot hold it, so nothing is named by it.
    .refine((text) => !/\0|\p{Surrogate}/u.test(text), `must be ${name}`);

/** The same parameter, with what the reference says of it. */
export function described<Schema extends z.ZodType>(schema: Schema, description: string): Schema {
  return schema.openapi({ param: { description } });
}
