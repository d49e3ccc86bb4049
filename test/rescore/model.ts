import type { InferSelectModel } from 'drizzle-orm';
import {
  accounts,
  farms,
  heldLeads,
  listLeads,
  lists,
  parcels,
  watchedCounties,
} from '../../drizzle/schema.ts';
import type { Db } from '../../src/db/client.ts';
import type { HeldVia } from '../../src/domain/held-via.ts';
import { evaluate } from '../../src/domain/score.ts';

/** What an account should hear of a parcel, when nothing is held back. */
export interface ExpectedLead {
  parcelId: string;
  previousScore: number;
  score: number;
  /** `kind id`, sorted. */
  sources: string[];
  heldVia: HeldVia[];
}

/** What a rescore should come to, account by account. */
export interface Expected {
  accounts: Map<
    string,
    {
      enteredHot: Map<string, ExpectedLead>;
      scoreUpdated: Map<string, ExpectedLead>;
      /** How many leads became hot, by `kind id`. */
      perSource: Map<string, number>;
    }
  >;
  /** Of all parcels. */
  scores: Map<string, number>;
}

/**
 * Works out, by the plainest means there are, what a rescore as of a day should come to in the world
 * that the database holds: parcel by parcel, account by account.
 */
export async function expectedOf(db: Db, day: string): Promise<Expected> {
  const all = {
    accounts: await db.select().from(accounts),
    farms: await db.select().from(farms),
    held: await db.select().from(heldLeads),
    lists: await db.select().from(lists),
    listed: await db.select().from(listLeads),
    counties: await db.select().from(watchedCounties),
  };
  const expected: Expected = { accounts: new Map(), scores: new Map() };
  const stored = await db.select().from(parcels);
  for (const parcel of stored) {
    expected.scores.set(parcel.id, evaluate(parcel, day).score);
  }
  for (const { id: accountId } of all.accounts) {
    const enteredHot = new Map<string, ExpectedLead>();
    const scoreUpdated = new Map<string, ExpectedLead>();
    const perSource = new Map<string, number>();
    for (const parcel of stored) {
      const previousScore = parcel.announcedScore;
      const score = expected.scores.get(parcel.id)!;
      const heldVia = all.held
        .filter((held) => held.accountId === accountId && held.parcelId === parcel.id)
        .map(({ via }) => via)
        .sort();
      const sources = [
        ...all.lists
          .filter((list) => list.accountId === accountId && list.status === 'active')
          .filter((list) =>
            all.listed.some((lead) => lead.listId === list.id && lead.parcelId === parcel.id),
          )
          .map(({ id }) => `list ${id}`),
        ...all.farms
          .filter((farm) => farm.accountId === accountId && farm.alertsEnabled)
          .filter((farm) => contains(farm, parcel))
          .map(({ id }) => `farm ${id}`),
        ...all.counties
          .filter((watched) => watched.accountId === accountId)
          .filter(({ county }) => county === parcel.county)
          .map(({ county }) => `county ${county}`),
      ].sort();
      const lead = { parcelId: parcel.id, previousScore, score, sources, heldVia };
      if (previousScore < 80 && score >= 80 && sources.length > 0) {
        enteredHot.set(parcel.id, lead);
        for (const key of sources) perSource.set(key, (perSource.get(key) ?? 0) + 1);
      }
      if (previousScore !== score && heldVia.length > 0) scoreUpdated.set(parcel.id, lead);
    }
    expected.accounts.set(accountId, { enteredHot, scoreUpdated, perSource });
  }
  return expected;
}

/** The farms of these tests are rectangles. */
function contains(
  { area }: InferSelectModel<typeof farms>,
  { location }: InferSelectModel<typeof parcels>,
): boolean {
  if (location === null) return false;
  const [lngs, lats] = [area.map(({ lng }) => lng), area.map(({ lat }) => lat)];
  const within = (value: number, of: number[]) =>
    value > Math.min(...of) && value < Math.max(...of);
  return within(location.lng, lngs) && within(location.lat, lats);
}
