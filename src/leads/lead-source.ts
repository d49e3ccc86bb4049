import { and, eq, sql, type SQL } from 'drizzle-orm';
import { farms, lists, searches } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { planIncludes, type Plan } from '../domain/plan.ts';
import { notFound, unreplayable, upgradeRequired } from '../errors.ts';
import { inCities, inZips } from '../parcels/in-place.ts';
import { parseCriteria, planNeeded, type SearchCriteria } from '../searches/criteria.ts';

/** The most parcels that are taken from one source (spec §4.3). */
export const CANDIDATE_CAP = 5_000;

export const SOURCE_KINDS = ['list', 'farm', 'search'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** What leads are read through: a name, and the query of its parcels, the highest scores first. */
export interface LeadSource {
  kind: SourceKind;
  id: string;
  name: string;
  /** Selects `id`, `score` and `lead_types` of at most {@link CANDIDATE_CAP} parcels. */
  candidates: SQL;
}

const COLUMNS = sql`p.id, p.score, p.lead_types`;
const HIGHEST_FIRST = sql`order by p.score desc, p.id desc limit ${CANDIDATE_CAP}`;

/**
 * Finds a source of the account. `not_found` when it has none such; `unreplayable` for a search that
 * is no longer understood; `upgrade_required` when the search uses lead types above the plan.
 */
export async function findSource(
  db: Db,
  caller: { accountId: string; plan: Plan },
  wanted: { kind: SourceKind; id: string },
): Promise<LeadSource> {
  switch (wanted.kind) {
    case 'list':
      return findList(db, caller.accountId, wanted.id);
    case 'farm':
      return findFarm(db, caller.accountId, wanted.id);
    case 'search':
      return findSearch(db, caller, wanted.id);
  }
}

async function findList(db: Db, accountId: string, id: string): Promise<LeadSource> {
  const [list] = await db
    .select({ name: lists.name })
    .from(lists)
    .where(and(eq(lists.accountId, accountId), eq(lists.id, id)));
  if (!list) throw notFound('list');
  // As an array, whose ids are looked up in one walk through the index: as a join, PostgreSQL takes each
  // by itself or, when it thinks the list is large, reads all parcels from end to end.
  const candidates = sql`
    select ${COLUMNS} from parcels p
    where p.id = any (array(
      select l.parcel_id from list_leads l
      where l.list_id = ${id} and l.account_id = ${accountId})) ${HIGHEST_FIRST}`;
  return { kind: 'list', id, name: list.name, candidates };
}

async function findFarm(db: Db, accountId: string, id: string): Promise<LeadSource> {
  const [farm] = await db
    .select({ name: farms.name })
    .from(farms)
    .where(and(eq(farms.accountId, accountId), eq(farms.id, id)));
  if (!farm) throw notFound('farm');
  const candidates = sql`
    select ${COLUMNS} from parcels p
    where p.location <@ (select f.area from farms f where f.id = ${id}) ${HIGHEST_FIRST}`;
  return { kind: 'farm', id, name: farm.name, candidates };
}

async function findSearch(
  db: Db,
  { accountId, plan }: { accountId: string; plan: Plan },
  id: string,
): Promise<LeadSource> {
  const [search] = await db
    .select({ name: searches.name, criteria: searches.criteria })
    .from(searches)
    .where(and(eq(searches.accountId, accountId), eq(searches.id, id)));
  if (!search) throw notFound('search');
  const criteria = parseCriteria(search.criteria);
  if (!criteria) {
    throw unreplayable('This saved search was made by an older version; save it again.');
  }
  const needed = planNeeded(criteria);
  if (!planIncludes(plan, needed)) {
    throw upgradeRequired(needed, `This search uses lead types of the ${needed} plan.`);
  }
  return { kind: 'search', id, name: search.name, candidates: searchCandidates(criteria) };
}

/**
 * Each county's highest scores, from the index by county and score, and of these the highest: so a
 * search never reads more of a county than it needs.
 */
function searchCandidates(criteria: SearchCriteria): SQL {
  const { counties, cities, zips, lead_types: types } = criteria;
  const wanted = [
    sql`true`,
    cities && inCities(sql`p.city`, cities),
    zips && inZips(sql`p.zip`, zips),
    types && sql`p.lead_types && ${sql.param(types)}::text[]`,
    criteria.min_score !== undefined && sql`p.score >= ${criteria.min_score}`,
    criteria.owned_for_years !== undefined &&
      sql`p.owned_since <= p.scored_on - make_interval(years => ${criteria.owned_for_years})`,
  ].filter((condition) => typeof condition === 'object');
  return sql`
    select p.id, p.score, p.lead_types
    from unnest(${sql.param(counties)}::text[]) as c (county)
    cross join lateral (
      select ${COLUMNS} from parcels p
      where p.county = c.county and ${sql.join(wanted, sql` and `)} ${HIGHEST_FIRST}
    ) p ${HIGHEST_FIRST}`;
}
