import { createFarm } from '../farms/create-farm.ts';
import { readLists } from '../leads/read-sources.ts';
import { addLeads } from '../lists/change-leads.ts';
import { createList } from '../lists/create-list.ts';
import { createSearch } from '../searches/create-search.ts';
import { checkCriteria, describeCriteria, planNeeded } from '../searches/criteria.ts';
import { UsageError, type Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { listing, table } from './table.ts';
import { words } from './words.ts';

/*
 * What leads are read through (spec §2.9): lists, farms and saved searches.
 */

const nameOption = { value: 'text', help: 'what it is called', required: true } as const;
const parcelsOption = {
  value: 'ids',
  help: 'parcels, county:number, comma-separated',
} as const;

export const listCreate: Command = {
  name: 'list create',
  summary: 'make a list of leads',
  options: { name: nameOption, parcels: parcelsOption, ...accountOption },
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const { name = '', parcels } = input.options;
      const parcelIds = parcels === undefined ? [] : words(parcels);
      const list = await createList(db, { accountId, name, parcelIds });
      const leads = new Set(parcelIds).size;
      return {
        json: { ...list, leads },
        text: listing({ list: list.id, name: list.name, leads: String(leads) }),
      };
    }),
};

export const listAdd: Command = {
  name: 'list add',
  summary: 'put leads on a list',
  args: ['list id'],
  options: { parcels: { ...parcelsOption, required: true }, ...accountOption },
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const listId = input.args['list id'] ?? '';
      const parcelIds = words(input.options['parcels'] ?? '');
      const added = await addLeads(db, { accountId, listId, parcelIds });
      return { json: { id: listId, added }, text: `${added} added` };
    }),
};

export const listList: Command = {
  name: 'list list',
  summary: "show an account's lists",
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const lists = await readLists(db, accountId);
      const rows = lists.map(({ id, status, leads, name }) => [id, status, String(leads), name]);
      return { json: lists, text: table(['list', 'status', 'leads', 'name'], rows) };
    }),
};

export const farmCreate: Command = {
  name: 'farm create',
  summary: 'watch a piece of land',
  options: {
    name: nameOption,
    corners: {
      value: 'lng,lat;…',
      help: '3 to 500 corners in order: --corners="-96.9,33.1;-96.8,33.1;-96.8,33.2"',
      required: true,
    },
    'no-alerts': { help: 'send no alerts about it' },
    ...accountOption,
  },
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const { name = '', corners = '' } = input.options;
      const farm = await createFarm(db, {
        ...{ accountId, name, corners: parseCorners(corners) },
        alertsEnabled: input.options['no-alerts'] === undefined,
      });
      const text = listing({ farm: farm.id, name: farm.name, corners: String(farm.area.length) });
      return { json: farm, text };
    }),
};

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

/** `lng,lat;lng,lat;…`, longitude first. */
function parseCorners(text: string): unknown[] {
  const corners = text.split(';').flatMap((corner) => (corner.trim() ? [corner.trim()] : []));
  return corners.map((corner) => {
    const [lng, lat, ...more] = corner.split(',').map((part) => part.trim());
    if (![lng, lat].every((part) => /^-?\d{1,3}(\.\d+)?$/.test(part ?? '')) || more.length > 0) {
      throw new UsageError(`--corners: "${corner}" is not lng,lat in degrees`);
    }
    return { lng: Number(lng), lat: Number(lat) };
  });
}
