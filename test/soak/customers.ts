import { farms } from '../../drizzle/schema.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { PLANS } from '../../src/domain/plan.ts';
import { EVENT_TYPES, type EventType } from '../../src/events/catalogue.ts';
import { newId } from '../../src/ids.ts';
import { holdLead } from '../../src/leads/hold-lead.ts';
import { watchCounty } from '../../src/leads/watch-county.ts';
import { createList } from '../../src/lists/create-list.ts';
import { importAgo } from '../rescore/parcels.ts';
import { COUNTIES, randomSignals, rectangle } from '../rescore/world.ts';
import { setPlan } from '../skip-trace/tracing.ts';
import type { TestApi } from '../support/read-api.ts';
import type { SeededRandom } from '../support/random.ts';
import { BEHAVIOURS, createHook, type Hook } from './behaviour.ts';
import type { Watched } from './verdict.ts';
import type { World } from './world.ts';

/** An account with what it has. */
export interface Customer {
  index: number;
  accountId: string;
  /** In every name that it gives to anything. */
  marker: string;
  keys: string[];
  listIds: string[];
  /** Parcels whose owners only this account has traced. */
  own: string[];
  endpoints: Watched[];
}

export interface Market {
  customers: Customer[];
  parcelIds: string[];
  hooks: Map<string, Hook>;
}

const SUBSCRIPTIONS: readonly EventType[][] = [
  [...EVENT_TYPES],
  ['deal.status_changed', 'deal.closed', 'postcard.status_changed'],
  ['lead.skiptrace.completed', 'lead.entered_hot', 'lead.score_updated', 'rescore.summary'],
];

/** In the query of every endpoint's URL; nothing may repeat it but the endpoint's row. */
export const URL_SECRET = 'soaksecret';
/** In the name of every owner, and so in every address that the simulated vendor makes up. */
export const OWNER = 'tracee';

/** What no other account may see, of the account with this number. */
export function markerOf(index: number): string {
  return `only${letters(index)}only`;
}

/** In small letters, as they stay in addresses: 0 is aaa, 1 is aab. */
function letters(number: number): string {
  const digits = number.toString(26).padStart(3, '0');
  return [...digits].map((digit) => String.fromCharCode(97 + parseInt(digit, 26))).join('');
}

/**
 * Makes parcels as they were imported a year ago, and accounts of all plans: each with lists, a farm, a
 * county, held leads, keys of the Read API, and endpoints that behave in all ways.
 */
export async function createMarket(
  { records, receiver }: World,
  api: TestApi,
  random: SeededRandom,
  size: { accounts: number; parcels: number; recoversAt: number },
): Promise<Market> {
  const { db } = records;
  const parcelIds = await importAgo(
    db,
    1,
    Array.from({ length: size.parcels }, (_, i) => newParcel(random, i)),
  );
  const hooks = new Map<string, Hook>();
  const customers: Customer[] = [];
  for (let index = 0; index < size.accounts; index += 1) {
    const marker = markerOf(index);
    const email = `${marker}@example.com`;
    const { id: accountId } = await createAccount(db, { email, plan: 'elite' });
    const keys = [await api.newKey(accountId), await api.newKey(accountId)];
    const endpoints: Watched[] = [];
    for (const [i, types] of SUBSCRIPTIONS.entries()) {
      const behaviour = BEHAVIOURS[(index + i) % BEHAVIOURS.length]!;
      const path = `/${index}-${i}-${behaviour}?key=${URL_SECRET}-${marker}`;
      const hook = createHook(behaviour, random.fork(), size.recoversAt);
      hooks.set(path, hook);
      const { id, secret } = await records.newEndpoint(accountId, receiver.origin + path, types);
      endpoints.push({ endpointId: id, accountId, secret, hook });
    }
    const own = parcelIds.filter((_, i) => i % size.accounts === index);
    const some = () => parcelIds.filter(() => random.next() < 0.3);
    const listIds: string[] = [];
    for (const name of [`Calls ${marker}`, `Cards ${marker}`]) {
      const { id } = await createList(db, { accountId, name, parcelIds: some() });
      listIds.push(id);
    }
    // Larger than customers may make them, so that several parcels of so few lie in one.
    const area = rectangle(random);
    await db.insert(farms).values({ id: newId('farm'), accountId, name: `Farm ${marker}`, area });
    await watchCounty(db, { accountId, county: COUNTIES[index % COUNTIES.length]! });
    for (const parcelId of some()) await holdLead(db, { accountId, parcelId, via: 'saved' });
    await setPlan(records, accountId, PLANS[(index + 1) % PLANS.length]!);
    customers.push({ index, accountId, marker, keys, listIds, own, endpoints });
  }
  return { customers, parcelIds, hooks };
}

function newParcel(random: SeededRandom, i: number) {
  return {
    // The first ones have one of each county, so that each can be watched.
    ...{ county: COUNTIES[i] ?? random.pick(COUNTIES), account_num: String(i).padStart(5, '0') },
    ...{
      lng: random.integer(10),
      lat: random.integer(10),
      owner_name: `Ada ${OWNER}${letters(i)}`,
    },
    mailing_address: `${i} Thistledown Rd, Austin${random.next() < 0.1 ? '' : ', TX 78701'}`,
    ...randomSignals(random),
  };
}
