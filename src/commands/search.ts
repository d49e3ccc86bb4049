import { createSearch } from '../searches/create-search.ts';
import { checkCriteria, describeCriteria, planNeeded } from '../searches/criteria.ts';
import type { Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { nameOption } from './source-options.ts';
import { listing } from './table.ts';
import { words } from './words.ts';

export const searchCreate: Command = {
  name: 'search create',
  summary: 'save a search, to be run anew each time',
  options: {
    name: nameOption,
    counties: { value: 'ids', help: 'county ids, comma-separated', required: true },
    cities: { value: 'names', help: 'only these cities, comma-separated' },
    zips: { value: 'codes', help: 'only these ZIP codes, comma-separated' },
    'lead-types': { value: 'types', help: 'leads of any of these types, comma-separated' },
    'min-score': { value: '0-100', help: 'the lowest score' },
    'owned-for-years': { value: 'years', help: 'owned for at least so long' },
    ...accountOption,
  },
  run(input) {
    const { name = '', counties = '', cities, zips } = input.options;
    const types = input.options['lead-types'];
    const criteria = checkCriteria({
      counties: words(counties),
      ...(cities !== undefined && { cities: words(cities) }),
      ...(zips !== undefined && { zips: words(zips) }),
      ...(types !== undefined && { lead_types: words(types) }),
      ...number('min_score', input.options['min-score']),
      ...number('owned_for_years', input.options['owned-for-years']),
    });
    return withAccount(input, async ({ db }, accountId) => {
      const search = await createSearch(db, { accountId, name, criteria });
      const more = { label: describeCriteria(criteria), plan_needed: planNeeded(criteria) };
      return {
        json: { ...search, ...more },
        text: listing({
          ...{ search: search.id, name: search.name, label: more.label },
          'plan needed': more.plan_needed,
        }),
      };
    });
  },
};

function number(field: string, text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  return { [field]: /^\d{1,6}$/.test(text) ? Number(text) : text };
}
