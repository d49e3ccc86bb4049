import { and, asc, desc, eq } from 'drizzle-orm';
import type { LngLat } from '../../drizzle/columns.ts';
import { accounts, lists, parcels } from '../../drizzle/schema.ts';
import { createAccount, type Account } from '../accounts/accounts.ts';
import type { Db, Tx } from '../db/client.ts';
import { CONTACTS_PLAN, planIncludes, type Plan } from '../domain/plan.ts';
import { createFarm } from '../farms/create-farm.ts';
import { holdLead } from '../leads/hold-lead.ts';
import { watchCounty } from '../leads/watch-county.ts';
import { createList } from '../lists/create-list.ts';
import { createSearch } from '../searches/create-search.ts';
import type { SearchCriteria } from '../searches/criteria.ts';
import { seedOrders } from './orders.ts';

/** What one account of the demo has. */
interface DemoAccount {
  email: string;
  plan: Plan;
  /** A list of the leads with the highest scores of a town. */
  list: { name: string; city: string; leads: number };
  farm: { name: string; corners: LngLat[] };
  searches: { name: string; criteria: SearchCriteria }[];
  /** How many leads of its list it has saved. */
  saved: number;
  watches: string[];
}

/** One account of each plan; the first is the one that `start` shows. */
const DEMO_ACCOUNTS = [
  {
    ...{ email: 'demo@lead-events.example', plan: 'elite' },
    list: { name: 'Millbrook, call this week', city: 'Millbrook', leads: 60 },
    farm: { name: 'Millbrook east', corners: box(-96.9, 33.09, 0.03) },
    searches: [
      {
        name: 'Probate and empty houses',
        criteria: { counties: ['maple'], lead_types: ['probate', 'vacant'], min_score: 60 },
      },
    ],
    ...{ saved: 12, watches: ['cedar'] },
  },
  {
    ...{ email: 'demo-pro@lead-events.example', plan: 'pro' },
    list: { name: 'Ridgemont absentee owners', city: 'Ridgemont', leads: 40 },
    farm: { name: 'Ridgemont center', corners: box(-96.56, 32.77, 0.02) },
    searches: [
      {
        name: 'Unpaid taxes in Cedar County',
        criteria: { counties: ['cedar'], lead_types: ['tax-delinquent'] },
      },
      // The Read API answers that a larger plan is needed (spec §7.1).
      {
        name: 'Probate in Cedar County',
        criteria: { counties: ['cedar'], lead_types: ['probate'] },
      },
    ],
    ...{ saved: 8, watches: [] },
  },
  {
    ...{ email: 'demo-free@lead-events.example', plan: 'free' },
    list: { name: 'Fairhaven first steps', city: 'Fairhaven', leads: 15 },
    farm: { name: 'Fairhaven north', corners: box(-97.07, 33.06, 0.015) },
    searches: [
      {
        name: 'Long-term owners in Fairhaven',
        criteria: {
          ...{ counties: ['maple'], cities: ['Fairhaven'] },
          ...{ lead_types: ['long-term-owner'], owned_for_years: 20 },
        },
      },
    ],
    ...{ saved: 3, watches: [] },
  },
] as const satisfies readonly DemoAccount[];

/** The owners of the demo's accounts, the one that `start` shows first. */
export const DEMO_EMAILS: readonly string[] = DEMO_ACCOUNTS.map(({ email }) => email);

/** Makes sure that the accounts of the demo are there with what they have, the elite one first. */
export async function seedDemoAccounts(db: Db): Promise<[Account, ...Account[]]> {
  const [first, ...others] = DEMO_ACCOUNTS;
  const seeded: [Account, ...Account[]] = [await seedAccount(db, first)];
  for (const other of others) seeded.push(await seedAccount(db, other));
  return seeded;
}

/** An account that has lists is left as it is: what its owner changed stays changed. */
async function seedAccount(db: Db, demo: DemoAccount): Promise<Account> {
  return db.transaction(async (tx) => {
    const [existing] = await tx
      .select()
      .from(accounts)
      .where(eq(accounts.email, demo.email))
      .orderBy(asc(accounts.createdAt))
      .limit(1);
    const { email, plan } = demo;
    const account = existing ?? (await createAccount(tx, { email, plan }));
    if (!(await hasLists(tx, account.id))) await furnish(tx, account.id, demo);
    return account;
  });
}

async function hasLists(tx: Tx, accountId: string): Promise<boolean> {
  const found = await tx
    .select({ id: lists.id })
    .from(lists)
    .where(eq(lists.accountId, accountId))
    .limit(1);
  return found.length > 0;
}

async function furnish(tx: Tx, accountId: string, demo: DemoAccount): Promise<void> {
  const { list, farm, searches, saved, watches } = demo;
  const parcelIds = await highestScores(tx, list.city, list.leads);
  const { id, name } = await createList(tx, { accountId, name: list.name, parcelIds });
  await createFarm(tx, { accountId, ...farm });
  for (const search of searches) await createSearch(tx, { accountId, ...search });
  for (const parcelId of parcelIds.slice(0, saved)) {
    await holdLead(tx, { accountId, parcelId, via: 'saved' });
  }
  for (const county of watches) await watchCounty(tx, { accountId, county });
  if (planIncludes(demo.plan, CONTACTS_PLAN)) {
    await seedOrders(tx, { accountId, list: { id, name }, parcelIds });
  }
}

async function highestScores(tx: Tx, city: string, count: number): Promise<string[]> {
  const found = await tx
    .select({ id: parcels.id })
    .from(parcels)
    .where(and(eq(parcels.city, city), eq(parcels.state, 'TX')))
    .orderBy(desc(parcels.score), asc(parcels.id))
    .limit(count);
  return found.map(({ id }) => id);
}

/** A square whose lower left corner is here, with sides of so many degrees. */
function box(lng: number, lat: number, side: number): LngLat[] {
  return [
    { lng, lat },
    { lng: lng + side, lat },
    { lng: lng + side, lat: lat + side },
    { lng, lat: lat + side },
  ];
}
