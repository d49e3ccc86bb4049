import { inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import { parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { inSnapshot } from '../db/in-snapshot.ts';
import { LEAD_TYPES, type LeadType } from '../domain/lead-type.ts';
import { planIncludes, type Plan } from '../domain/plan.ts';
import { TIER_FLOORS, type Tier } from '../domain/tier.ts';
import { upgradeRequired } from '../errors.ts';
import { purchasedContacts, type LeadContacts } from './purchased-contacts.ts';
import { leadData, type LeadData, type LeadStyle } from './lead-data.ts';
import { CANDIDATE_CAP, findSource, type SourceKind } from './lead-source.ts';

/** Who asks: what is shown depends on the plan. */
export interface Caller {
  accountId: string;
  plan: Plan;
}

export interface LeadsQuery {
  source: { kind: SourceKind; id: string };
  tier?: Tier | undefined;
  minScore?: number | undefined;
  leadType?: LeadType | undefined;
  limit: number;
  offset: number;
}

export type LeadRow = LeadData & { contacts: LeadContacts | null };

const found = z.object({ candidates: z.number(), total: z.number(), ids: z.array(z.string()) });

/**
 * A page of a source's leads, highest score first (spec §4.3): the source's parcels, at most 5,000
 * of them and those with the highest scores, filtered, then paged. `tier` sets the floor of the
 * score unless `minScore` is given; without either it is that of moderate.
 */
export async function listLeads(
  { db, style }: { db: Db; style: LeadStyle },
  caller: Caller,
  query: LeadsQuery,
) {
  const { leadType } = query;
  if (leadType && !planIncludes(caller.plan, LEAD_TYPES[leadType].plan)) {
    const needed = LEAD_TYPES[leadType].plan;
    throw upgradeRequired(needed, `lead_type: ${leadType} is part of the ${needed} plan.`);
  }
  // One snapshot, so that a rescore in between does not put the page out of order.
  return inSnapshot(db, (tx) => readPage({ db: tx, style }, caller, query));
}

async function readPage(
  { db, style }: { db: Db; style: LeadStyle },
  caller: Caller,
  query: LeadsQuery,
) {
  const { tier, minScore, leadType, limit, offset } = query;
  const source = await findSource(db, caller, query.source);
  const floor = minScore ?? TIER_FLOORS[tier ?? 'moderate'];
  const [row] = await db.execute(sql`
    with candidates as materialized (${source.candidates}),
    filtered as (
      select id, score from candidates
      where score >= ${floor} and (${leadType ?? null}::text is null
                                   or ${leadType ?? null} = any (lead_types))
    ), page as (
      select id, score from filtered order by score desc, id desc limit ${limit} offset ${offset}
    )
    select (select count(*)::int from candidates) as candidates,
           (select count(*)::int from filtered) as total,
           (select coalesce(json_agg(id order by score desc, id desc), '[]') from page) as ids`);
  const { candidates, total, ids } = found.parse(row);
  return {
    source: {
      ...{ kind: source.kind, id: source.id, name: source.name },
      ...{ candidates, candidate_cap: CANDIDATE_CAP },
    },
    filters: { tier: tier ?? null, min_score: minScore ?? null, lead_type: leadType ?? null },
    leads: await leadRows({ db, style }, caller, ids),
    ...{ total, limit, offset },
  };
}

/** The leads with these ids, in this order, with the contacts that the account has bought. */
export async function leadRows(
  { db, style }: { db: Db; style: LeadStyle },
  caller: Caller,
  ids: string[],
): Promise<LeadRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.select().from(parcels).where(inArray(parcels.id, ids));
  const contacts = await purchasedContacts(db, caller, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const parcel = byId.get(id);
    if (!parcel) return [];
    return [{ ...leadData(parcel, caller.plan, style), contacts: contacts.get(id) ?? null }];
  });
}
