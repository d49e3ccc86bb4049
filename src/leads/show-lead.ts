import { and, eq, sql } from 'drizzle-orm';
import { parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { notFound } from '../errors.ts';
import { readStreet } from '../parcels/street-key.ts';
import { leadData, type LeadData, type LeadStyle } from './lead-data.ts';
import { leadRows, type Caller, type LeadRow } from './list-leads.ts';

/** One lead by its parcel, with the account's contacts; `not_found` when there is no such parcel. */
export async function showLead(
  context: { db: Db; style: LeadStyle },
  caller: Caller,
  { county, accountNum }: { county: string; accountNum: string },
): Promise<LeadRow> {
  const [lead] = await leadRows(context, caller, [`${county}:${accountNum}`]);
  if (!lead) throw notFound('parcel');
  return lead;
}

/**
 * The lead at a postal address, without contacts (spec §4.3): only when exactly one parcel is at that
 * house number and street; several, as in a building with apartments, are none.
 */
export async function lookUpLead(
  { db, style }: { db: Db; style: LeadStyle },
  { plan }: Caller,
  place: { address: string; city?: string | undefined; zip?: string | undefined },
): Promise<LeadData[]> {
  const street = readStreet(place.address);
  if (!street) return [];
  const rows = await db
    .select()
    .from(parcels)
    .where(
      and(
        eq(parcels.houseNumber, street.houseNumber),
        eq(parcels.streetKey, street.streetKey),
        place.zip === undefined ? undefined : sameZip(place.zip),
        place.city === undefined ? undefined : sameCity(place.city),
      ),
    )
    .limit(2);
  const [only, another] = rows;
  return only && !another ? [leadData(only, plan, style)] : [];
}

/** The first five digits tell, since one of the two may have four more (ZIP+4) and the other not. */
function sameZip(zip: string) {
  return sql`left(${parcels.zip}, 5) = ${zip.trim().replace(/^(\d{5})-?\d{4}$/, '$1')}`;
}

function sameCity(city: string) {
  return sql`lower(${parcels.city}) = lower(${city.trim()})`;
}
