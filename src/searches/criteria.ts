import { z } from 'zod';
import { LEAD_TYPE_IDS, LEAD_TYPES, type LeadType } from '../domain/lead-type.ts';
import { PLANS, type Plan } from '../domain/plan.ts';
import { parseInput } from '../input.ts';
import { cityName, countyId, zipCode } from '../parcels/parcel-fields.ts';

const several = <T extends z.ZodType>(item: T, most: number) =>
  z
    .array(item)
    .min(1, 'must not be an empty list')
    .max(most, `must be at most ${most}`)
    .transform((items) => [...new Set(items)]);

const wholeNumber = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, error).max(most, error);
};

/** What a saved search looks for: parcels for which everything that is given holds. */
const searchCriteria = z
  .strictObject({
    counties: several(countyId, 20),
    cities: several(cityName, 100).optional(),
    zips: several(zipCode, 200).optional(),
    /** Any of these. */
    lead_types: several(
      z.enum(LEAD_TYPE_IDS, { error: `must be one of ${LEAD_TYPE_IDS.join(', ')}` }),
      LEAD_TYPE_IDS.length,
    ).optional(),
    min_score: wholeNumber(0, 100).optional(),
    /** At least so many years. */
    owned_for_years: wholeNumber(1, 100).optional(),
  })
  // Leads are never read county-wide (spec §4.3).
  .refine(({ counties: _, ...others }) => Object.values(others).some((value) => value), {
    path: ['counties'],
    error: 'must be narrowed: by cities, zips, lead_types, min_score or owned_for_years',
  });

export interface SearchCriteria {
  counties: string[];
  cities?: string[] | undefined;
  zips?: string[] | undefined;
  lead_types?: LeadType[] | undefined;
  min_score?: number | undefined;
  owned_for_years?: number | undefined;
}

/** Checks criteria that come from outside; a fault is a `bad_request` that names the field. */
export function checkCriteria(input: unknown): SearchCriteria {
  return parseInput(searchCriteria, input);
}

/** Criteria as they were stored, or undefined when they can no longer be understood (spec §7.1). */
export function parseCriteria(stored: unknown): SearchCriteria | undefined {
  const parsed = searchCriteria.safeParse(stored);
  return parsed.success ? parsed.data : undefined;
}

/** The smallest plan that sees every lead type that the search uses (spec §7.1). */
export function planNeeded({ lead_types = [] }: SearchCriteria): Plan {
  const needed = lead_types.map((type) => PLANS.indexOf(LEAD_TYPES[type].plan));
  return PLANS[Math.max(0, ...needed)] ?? 'free';
}

/** The criteria in words, the `label` of spec §2.9: `Probate or Vacant in Millbrook, maple`. */
export function describeCriteria(criteria: SearchCriteria): string {
  const { counties, cities, zips, lead_types: types, min_score, owned_for_years } = criteria;
  const what = types ? enumerate(types.map((type) => LEAD_TYPES[type].label)) : 'All parcels';
  return [
    `${what} in ${enumerate(cities ?? counties)}${cities ? `, ${enumerate(counties)}` : ''}`,
    zips && `ZIP ${enumerate(zips)}`,
    min_score !== undefined && `score ${min_score} or more`,
    owned_for_years !== undefined &&
      `owned for ${owned_for_years} ${owned_for_years === 1 ? 'year' : 'years'} or more`,
  ]
    .filter(Boolean)
    .join('; ');
}

/** How many are named before the rest is only counted: a label is one readable line. */
const NAMED = 4;

/** `a`, `a or b`, `a, b or c`, `a, b, c, d or 7 more`. */
function enumerate(items: readonly string[]): string {
  const named =
    items.length > NAMED + 1
      ? [...items.slice(0, NAMED), `${items.length - NAMED} more`]
      : [...items];
  const last = named.pop() ?? '';
  return named.length === 0 ? last : `${named.join(', ')} or ${last}`;
}
