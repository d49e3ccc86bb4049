import { sql } from 'drizzle-orm';
import { farms, heldLeads, listLeads, lists, watchedCounties } from '../../drizzle/schema.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import type { Db } from '../../src/db/client.ts';
import { HELD_VIA } from '../../src/domain/held-via.ts';
import { PLANS } from '../../src/domain/plan.ts';
import type { EventType } from '../../src/events/catalogue.ts';
import { newId } from '../../src/ids.ts';
import type { ParcelFields } from '../../src/parcels/parcel-fields.ts';
import { setEndpointState } from '../support/endpoint-state.ts';
import type { SeededRandom } from '../support/random.ts';
import type { TestRecords } from '../support/records.ts';
import { becameHot, importAgo, yearsAgo } from './parcels.ts';

/** A made-up world: parcels that change with time, and accounts that hold and watch them. */
export interface World {
  parcelIds: string[];
  accountIds: string[];
}

export const COUNTIES = ['ash', 'birch', 'cedar'];

const SUBSCRIPTIONS: EventType[][] = [
  ['lead.entered_hot', 'lead.score_updated', 'rescore.summary'],
  ['lead.entered_hot'],
  ['lead.score_updated', 'rescore.summary'],
];

/** What of an account's own must never be in another account's event. */
export function markerOf(accountId: string): string {
  return `only-${accountId.slice(-8)}`;
}

/**
 * Makes parcels as they were imported a year ago, and accounts of all plans: each with lists (one of
 * them archived), farms (one of them without alerts), counties and held leads that overlap, and with
 * no, one or two endpoints, of which some are paused.
 */
export async function createWorld(
  records: TestRecords,
  random: SeededRandom,
  size: { parcels: number; accounts: number; endpointUrl?: string },
): Promise<World> {
  const { db } = records;
  const parcelIds = await importAgo(
    db,
    1,
    Array.from({ length: size.parcels }, (_, i) => randomParcel(random, i)),
  );
  const accountIds: string[] = [];
  for (let i = 0; i < size.accounts; i += 1) {
    const email = `world${i}@example.com`;
    const { id: accountId } = await createAccount(db, { email, plan: random.pick(PLANS) });
    accountIds.push(accountId);
    await watchAndHold(db, random, accountId, parcelIds);
    for (let e = random.integer(3); e > 0; e -= 1) {
      const url = size.endpointUrl ?? 'https://hooks.example.com/in';
      const types = random.pick(SUBSCRIPTIONS);
      const { id: endpointId } = await records.newEndpoint(accountId, `${url}?${i}-${e}`, types);
      if (random.next() < 0.25) {
        await setEndpointState(records, { accountId, endpointId, state: 'paused' });
      }
    }
  }
  return { parcelIds, accountIds };
}

async function watchAndHold(
  db: Db,
  random: SeededRandom,
  accountId: string,
  parcelIds: string[],
): Promise<void> {
  const some = (share: number) => parcelIds.filter(() => random.next() < share);
  const name = (what: string) => `${what} ${markerOf(accountId)}`;
  const kept = ['active', 'active', 'archived'].map((status, i) => ({
    ...{ id: newId('list'), accountId, name: name(`List ${i}`) },
    status: status as 'active' | 'archived',
  }));
  await db.insert(lists).values(kept);
  const listed = kept.flatMap(({ id: listId }) =>
    some(0.3).map((parcelId) => ({ accountId, listId, parcelId })),
  );
  if (listed.length > 0) await db.insert(listLeads).values(listed);
  const held = HELD_VIA.flatMap((via) =>
    some(0.3).map((parcelId) => ({ accountId, parcelId, via })),
  );
  if (held.length > 0) await db.insert(heldLeads).values(held);
  await db.insert(farms).values(
    [true, true, false].map((alertsEnabled, i) => ({
      ...{ id: newId('farm'), accountId, name: name(`Farm ${i}`), alertsEnabled },
      area: rectangle(random),
    })),
  );
  for (const county of COUNTIES) {
    if (random.next() < 0.3) await db.insert(watchedCounties).values({ accountId, county });
  }
}

/** On half degrees, where no parcel is, so that none lies on an edge. */
export function rectangle(random: SeededRandom) {
  const [west, south] = [random.integer(6) + 0.5, random.integer(6) + 0.5];
  const [east, north] = [west + 2 + random.integer(4), south + 2 + random.integer(4)];
  return [
    { lng: west, lat: south },
    { lng: east, lat: south },
    { lng: east, lat: north },
    { lng: west, lat: north },
  ];
}

type NewParcel = Parameters<typeof importAgo>[2][number];

function randomParcel(random: SeededRandom, i: number): NewParcel {
  const place = random.next() < 0.9 && { lng: random.integer(10), lat: random.integer(10) };
  return {
    ...{ county: random.pick(COUNTIES), account_num: String(i).padStart(5, '0') },
    ...{ owner_name: `Owner ${i}`, ...place, ...randomSignals(random) },
  };
}

/** Signals of which half become hot within a year, and others change in other ways or not at all. */
export function randomSignals(random: SeededRandom): Partial<ParcelFields> {
  if (random.next() < 0.4) return becameHot();
  return {
    tax_delinquent_years: random.integer(5),
    vacant: random.next() < 0.5,
    free_and_clear: random.next() < 0.5,
    owner_occupied: random.next() < 0.5,
    mailing_state: random.pick(['TX', 'CO']),
    owned_since: yearsAgo(random.pick([3, 15.5, 25.5, 40])),
    owner_birth_year: Number(yearsAgo(0).slice(0, 4)) - random.pick([40, 65, 80]),
    probate_filed_on: random.pick([null, yearsAgo(1.5), yearsAgo(2.5)]),
    open_code_violations: random.integer(4),
  };
}

/** Imports parcels of the world again, today, with other signals. */
export async function importAgain(
  db: Db,
  random: SeededRandom,
  parcelIds: readonly string[],
): Promise<void> {
  await importAgo(
    db,
    0,
    [...parcelIds].sort().map((id) => {
      const [county = '', account_num = ''] = id.split(':');
      return { county, account_num, ...randomSignals(random) };
    }),
  );
}

/** Leaves only accounts and what tests share. */
export async function clearWorld({ db }: TestRecords): Promise<void> {
  await db.execute(sql`
    truncate rescore_source_counts, rescore_counts, rescore_runs, outbox, attempts, deliveries,
      events, event_subjects, held_leads, watched_counties, farms, list_leads, lists, endpoints,
      parcels, accounts cascade`);
}
