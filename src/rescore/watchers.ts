import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '../db/client.ts';
import { HELD_VIA, type HeldVia } from '../domain/held-via.ts';
import { WATCH_KINDS, type WatchKind } from '../domain/rescore.ts';
import type { ChangedParcel } from './score-batch.ts';

/** Through what an account hears of a lead that became hot. */
export interface Watch {
  kind: WatchKind;
  id: string;
  name: string;
}

/** What one account has to do with a changed parcel. */
export interface Interest {
  /** The ways in which it holds the parcel, sorted. */
  heldVia: HeldVia[];
  /** Its lists and farms, sorted; only for parcels that became hot. */
  sources: Watch[];
}

/** Whom changes concern. */
export interface Watchers {
  /** By parcel, then by account. */
  byParcel: Map<string, Map<string, Interest>>;
  /** The accounts that watch a county, sorted. */
  byCounty: Map<string, string[]>;
}

const holdings = z.array(
  z.object({ parcelId: z.string(), accountId: z.string(), via: z.enum(HELD_VIA) }),
);

const watches = z.array(
  z.object({
    ...{ parcelId: z.string().nullable(), accountId: z.string() },
    ...{ kind: z.enum(WATCH_KINDS), id: z.string(), name: z.string() },
  }),
);

/**
 * Finds the accounts that changed parcels concern: those that hold one, and for parcels that became
 * hot those that have them on an active list, in a farm with alerts, or in a watched county.
 */
export async function findWatchers(tx: Tx, changed: readonly ChangedParcel[]): Promise<Watchers> {
  const byParcel: Watchers['byParcel'] = new Map();
  const interest = (parcelId: string, accountId: string): Interest => {
    const ofParcel = byParcel.get(parcelId) ?? new Map<string, Interest>();
    byParcel.set(parcelId, ofParcel);
    const known = ofParcel.get(accountId) ?? { heldVia: [], sources: [] };
    ofParcel.set(accountId, known);
    return known;
  };
  for (const { parcelId, accountId, via } of await findHoldings(tx, changed)) {
    interest(parcelId, accountId).heldVia.push(via);
  }
  const hot = changed.filter(({ enteredHot }) => enteredHot);
  const byCounty: Watchers['byCounty'] = new Map();
  for (const { parcelId, accountId, ...watch } of await findWatches(tx, hot)) {
    if (parcelId !== null) interest(parcelId, accountId).sources.push(watch);
    else byCounty.set(watch.id, [...(byCounty.get(watch.id) ?? []), accountId]);
  }
  return { byParcel, byCounty };
}

async function findHoldings(tx: Tx, changed: readonly ChangedParcel[]) {
  const rows = await tx.execute(sql`
    select parcel_id as "parcelId", account_id as "accountId", via
    from held_leads
    where parcel_id = any (${idsOf(changed)})
    order by parcel_id, account_id, via`);
  return holdings.parse(rows);
}

/** Of a county the accounts only, once: a county may have many parcels, and many who watch it. */
async function findWatches(tx: Tx, hot: readonly ChangedParcel[]) {
  if (hot.length === 0) return [];
  const counties = [...new Set(hot.map(({ county }) => county))];
  const rows = await tx.execute(sql`
    select ll.parcel_id as "parcelId", l.account_id as "accountId", 'list' as kind, l.id, l.name
    from list_leads ll join lists l on l.id = ll.list_id
    where ll.parcel_id = any (${idsOf(hot)}) and l.status = 'active'
    union all
    select p.id, f.account_id, 'farm', f.id, f.name
    from parcels p join farms f on p.location <@ f.area
    where p.id = any (${idsOf(hot)}) and f.alerts_enabled
    union all
    select null, account_id, 'county', county, county
    from watched_counties
    where county = any (${sql.param(counties)}::text[])`);
  const found = watches.parse(rows);
  const rank = ({ kind }: { kind: WatchKind }) => WATCH_KINDS.indexOf(kind);
  return found.sort(
    (a, b) => rank(a) - rank(b) || compare(a.id, b.id) || compare(a.accountId, b.accountId),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function idsOf(parcels: readonly ChangedParcel[]) {
  return sql`${sql.param(parcels.map(({ id }) => id))}::text[]`;
}
