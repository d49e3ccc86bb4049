import { inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import { parcels } from '../../../drizzle/schema.ts';
import { tierOf } from '../../domain/tier.ts';
import { saveParcel } from '../../parcels/parcels.ts';
import { expectSeen } from './not-seen.ts';
import type { Stage } from './stage.ts';

/** The parcels that there is news about, by what the account has to do with them. */
export interface NewsParcels {
  /** In a county that it watches. */
  county: string[];
  /** On its list, saved and purchased. */
  listed: string;
  /** In its farm; after the listed one in the order of ids. */
  farm: string[];
  /** Saved, and nothing else than its score is news. */
  saved: string;
}

/** How a lead stands: the score that it has, and the one that was made known last. */
export interface Standing {
  id: string;
  score: number;
  announced: number;
}

/** Without any trouble a parcel is never hot; with all of this it always is. */
const CALM = {
  ...{ vacant: false, foreclosure_notice_on: null, probate_filed_on: null },
  ...{ tax_delinquent_years: 0, open_code_violations: 0 },
};

const ids = z.array(z.object({ id: z.string() }));

/** Chooses the parcels, the first ones by id: the same in every run, unless their owner has bought others. */
export async function chooseParcels({ context, accountId }: Stage): Promise<NewsParcels> {
  const { db } = context;
  const find = async (query: ReturnType<typeof sql>) =>
    ids.parse(await db.execute(query)).map(({ id }) => id);
  const [listed = ''] = await find(sql`
    select h.parcel_id as id from held_leads h join list_leads l on l.parcel_id = h.parcel_id
    join lists on lists.id = l.list_id and lists.account_id = h.account_id
    where h.account_id = ${accountId} group by h.parcel_id having count(distinct h.via) = 2
    order by h.parcel_id limit 1`);
  const [saved = ''] = await find(sql`
    select parcel_id as id from held_leads where account_id = ${accountId}
    group by parcel_id having array_agg(via) = array['saved'] order by parcel_id limit 1`);
  const county = await find(sql`
    select p.id from parcels p join watched_counties w on w.county = p.county
    where w.account_id = ${accountId} order by p.id limit 2`);
  const farm = await find(sql`
    select p.id from parcels p join farms f on p.location <@ f.area
    where f.account_id = ${accountId} and f.alerts_enabled and p.id > ${listed}
      and not exists (select from list_leads l join lists on lists.id = l.list_id
        where l.parcel_id = p.id and lists.account_id = ${accountId})
      and not exists (select from held_leads h
        where h.parcel_id = p.id and h.account_id = ${accountId})
    order by p.id limit 3`);
  expectSeen(
    listed !== '' && saved !== '' && county.length === 2 && farm.length === 3,
    "the demo account's list, farm, county and saved leads.",
  );
  return { county, listed, farm, saved };
}

/** All of them. */
export function everyParcel({ county, listed, farm, saved }: NewsParcels): string[] {
  return [...county, listed, ...farm, saved];
}

/** Takes the troubles away that an earlier run has left. */
export async function calmDown(stage: Stage, chosen: NewsParcels): Promise<void> {
  for (const id of everyParcel(chosen)) await change(stage, id, CALM);
}

/** Lets the news arrive, as an import would bring it. */
export async function bringNews(stage: Stage, chosen: NewsParcels): Promise<void> {
  const { county, listed, farm, saved } = chosen;
  const notice = new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10);
  const trouble = {
    ...{ vacant: true, foreclosure_notice_on: notice },
    ...{ tax_delinquent_years: 3, open_code_violations: 2 },
  };
  for (const id of [...county, listed, ...farm]) await change(stage, id, trouble);
  await change(stage, saved, { vacant: true });
}

async function change(stage: Stage, id: string, signals: Record<string, unknown>): Promise<void> {
  const { db } = stage.context;
  const [parcel] = await db
    .select()
    .from(parcels)
    .where(inArray(parcels.id, [id]));
  if (!parcel) throw new Error(`there is no parcel ${id}`);
  const { county, accountNum: account_num, address, city, zip } = parcel;
  await saveParcel(db, { county, account_num, address, city, zip, ...signals });
}

/** How the parcels stand now, in the order of ids. */
export async function standings(stage: Stage, chosen: NewsParcels): Promise<Standing[]> {
  return stage.context.db
    .select({ id: parcels.id, score: parcels.score, announced: parcels.announcedScore })
    .from(parcels)
    .where(inArray(parcels.id, everyParcel(chosen)))
    .orderBy(parcels.id);
}

/** `62, warm`. */
export function shownScore(score: number): string {
  return `${score}, ${tierOf(score)}`;
}
