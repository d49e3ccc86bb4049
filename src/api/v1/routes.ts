import { z } from '@hono/zod-openapi';
import { DEAL_STATUSES } from '../../domain/deal-status.ts';
import { ORDER_SERVICES, ORDER_STATUSES } from '../../domain/order-status.ts';
import { instant } from '../../instant.ts';
import { SOURCE_KINDS, type SourceKind } from '../../leads/lead-source.ts';
import { pingAnswer } from './ping.ts';
import {
  dealExample,
  farmExample,
  leadExample,
  leadRowExample,
  leadsExample,
  listExample,
  orderExample,
  samplesExample,
  searchExample,
} from './examples.ts';
import {
  described,
  leadType,
  limit,
  minScore,
  offset,
  oneOf,
  shortText,
  tier,
} from './parameters.ts';
import { readRoute } from './route.ts';
import {
  deal as dealShape,
  farm,
  lead as leadShape,
  leadRow,
  list,
  order,
  page,
  sampleEvent,
  search,
} from './schemas.ts';

/*
 * The routes of the Read API as the specification has them (spec §4.2 to §4.5): what the validation,
 * the OpenAPI document and the handlers all go by.
 */

export const ping = readRoute({
  path: '/v1/ping',
  operationId: 'ping',
  tag: 'Connection',
  summary: 'Tests the connection: whose key this is.',
  example: { ok: true, user_id: 'acct_sample', plan: 'pro', scopes: ['read'] },
  answer: pingAnswer,
});

export const samples = readRoute({
  path: '/v1/events/samples',
  operationId: 'listSampleEvents',
  tag: 'Events',
  summary: 'One sample event of each type.',
  details:
    'What a test of an endpoint sends: `fixture` is true and the id begins with `evt_sample_`.',
  example: samplesExample,
  answer: z.strictObject({ events: z.array(sampleEvent) }),
});

export const lists = readRoute({
  path: '/v1/lists',
  operationId: 'listLists',
  tag: 'Sources',
  summary: "The account's lists.",
  example: { lists: [listExample] },
  answer: z.strictObject({ lists: z.array(list) }),
});

export const farms = readRoute({
  path: '/v1/farms',
  operationId: 'listFarms',
  tag: 'Sources',
  summary: "The account's farms.",
  example: { farms: [farmExample] },
  answer: z.strictObject({ farms: z.array(farm) }),
});

export const searches = readRoute({
  path: '/v1/searches',
  operationId: 'listSearches',
  tag: 'Sources',
  summary: "The account's saved searches.",
  example: { searches: [searchExample] },
  answer: z.strictObject({ searches: z.array(search) }),
});

const sourceId = (kind: string) =>
  described(shortText('an id').optional(), `The ${kind} to read through.`);

/** Says how many sources were given, and which. */
function notOneSource(given: readonly string[]): string {
  const rule = 'Exactly one of list_id, farm_id and search_id is needed';
  return given.length === 0 ? `${rule}; none is given.` : `${rule}, not ${given.join(' and ')}.`;
}

export const leads = readRoute({
  path: '/v1/leads',
  operationId: 'listLeads',
  tag: 'Leads',
  summary: 'The leads of a list, a farm or a saved search, highest score first.',
  details:
    'Exactly one of `list_id`, `farm_id` and `search_id` is needed. Of a source with more than 5,000 parcels the 5,000 with the highest scores are taken; these are filtered, then paged. Lead types above the plan are left out.',
  query: z
    .strictObject({
      list_id: sourceId('list'),
      farm_id: sourceId('farm'),
      search_id: sourceId('saved search'),
      tier: described(
        tier.optional(),
        'Sets the lowest score, unless min_score is given: hot 80, warm 60, moderate 40, cold 0.',
      ),
      min_score: described(minScore.optional(), 'The lowest score. Without it and tier: 40.'),
      lead_type: described(
        leadType.optional(),
        'Only leads of this type. One above the plan is a 403.',
      ),
      ...{ limit, offset },
    })
    .superRefine((query, context) => {
      const given = SOURCE_KINDS.map((kind) => `${kind}_id` as const).filter((id) => query[id]);
      if (given.length === 1) return;
      context.addIssue({ code: 'custom', path: [], message: notOneSource(given) });
    }),
  example: leadsExample,
  answer: z.strictObject({
    source: z.strictObject({
      kind: z.enum(SOURCE_KINDS),
      id: z.string(),
      name: z.string(),
      candidates: z.int(),
      candidate_cap: z.int(),
    }),
    filters: z.strictObject({
      tier: tier.nullable(),
      min_score: z.int().nullable(),
      lead_type: leadType.nullable(),
    }),
    leads: z.array(leadRow),
    ...page,
  }),
  failures: [403, 404, 422],
});

/** Which source was asked for; the validation has made sure that it is one. */
export function sourceOf(ids: Partial<Record<`${SourceKind}_id`, string | undefined>>): {
  kind: SourceKind;
  id: string;
} {
  const kind = SOURCE_KINDS.find((candidate) => ids[`${candidate}_id`] !== undefined);
  if (!kind) throw new Error('no source');
  return { kind, id: ids[`${kind}_id`] ?? '' };
}

export const lead = readRoute({
  path: '/v1/leads/{county}/{account_num}',
  operationId: 'getLead',
  tag: 'Leads',
  summary: 'One lead by its parcel.',
  params: z.strictObject({
    county: described(shortText('a county'), 'The county id.'),
    account_num: described(shortText('a number'), "The parcel's account number in that county."),
  }),
  example: { lead: leadRowExample },
  answer: z.strictObject({ lead: leadRow }),
  failures: [404],
});

export const lookup = readRoute({
  path: '/v1/leads/lookup',
  operationId: 'lookUpLead',
  tag: 'Leads',
  summary: 'The lead at an address, when exactly one parcel is there.',
  details:
    'Matches only when exactly one parcel is on that house number and street; a building with several units is an empty array. Without contacts.',
  query: z.strictObject({
    address: described(
      shortText('an address'),
      'House number and street, in any usual spelling, and whatever follows of city, state and ZIP code (", Millbrook, TX 75010"): these have to be those of the parcel. Units are left out.',
    ),
    city: described(
      shortText('a city').optional(),
      'Only in this city; beside one in the address, both hold.',
    ),
    zip: described(
      shortText('a ZIP code').optional(),
      'Only in this ZIP code; its first five digits count. Beside one in the address, both hold.',
    ),
  }),
  example: { leads: [leadExample] },
  answer: z.strictObject({ leads: z.array(leadShape) }),
});

export const deals = readRoute({
  path: '/v1/deals',
  operationId: 'listDeals',
  tag: 'Deals',
  summary: "The account's deals, newest activity first.",
  query: z.strictObject({
    status: described(oneOf(DEAL_STATUSES).optional(), 'Only deals at this stage.'),
    updated_since: described(
      instant.optional(),
      'Only deals touched at or after this instant; microseconds count.',
    ),
    ...{ limit, offset },
  }),
  example: { deals: [dealExample], total: 12, limit: 1, offset: 0 },
  answer: z.strictObject({ deals: z.array(dealShape), ...page }),
});

export const deal = readRoute({
  path: '/v1/deals/{deal_id}',
  operationId: 'getDeal',
  tag: 'Deals',
  summary: 'One deal.',
  params: z.strictObject({ deal_id: described(shortText('an id'), "The deal's id.") }),
  example: { deal: dealExample },
  answer: z.strictObject({ deal: dealShape }),
  failures: [404],
});

export const orders = readRoute({
  path: '/v1/orders',
  operationId: 'listOrders',
  tag: 'Orders',
  summary: "The account's orders, newest first.",
  query: z.strictObject({
    service: described(oneOf(ORDER_SERVICES).optional(), 'Only orders of this kind.'),
    status: described(oneOf(ORDER_STATUSES).optional(), 'Only orders in this state.'),
    since: described(
      instant.optional(),
      'Only orders placed at or after this instant; microseconds count.',
    ),
    ...{ limit, offset },
  }),
  example: { orders: [orderExample], total: 214, limit: 1, offset: 0 },
  answer: z.strictObject({ orders: z.array(order), ...page }),
});

/** What can be given to each route, by its path as the router has it: for messages. */
export const PARAMETER_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  [ping, samples, lists, farms, searches, leads, lead, lookup, deals, deal, orders].map((route) => [
    route.getRoutingPath(),
    Object.keys(route.request.query.shape),
  ]),
);
