import { and, eq } from 'drizzle-orm';
import { parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { notFound } from '../errors.ts';
import { fiveDigits, inCities, inZips } from '../parcels/in-place.ts';
import { readPlace } from '../parcels/read-place.ts';
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
 * house number and street; several, as in a building with apartments, are none. City, state and ZIP
 * code hold as they are in the address and as they are given beside it, all of them.
 */
export async function lookUpLead(
  { db, style }: { db: Db; style: LeadStyle },
  { plan }: Caller,
  asked: { address: string; city?: string | undefined; zip?: string | undefined },
): Promise<LeadData[]> {
  const place = readPlace(asked.address);
  if (!place) return [];
  const { street, state } = place;
  const cities = [place.city, asked.city].filter((city) => city !== undefined);
  const zips = [place.zip, asked.zip].filter((zip) => zip !== undefined);
  const rows = await db
    .select()
    .from(parcels)
    .where(
      and(
        eq(parcels.houseNumber, street.houseNumber),
        eq(parcels.streetKey, street.streetKey),
        ...cities.map((city) => inCities(parcels.city, [city])),
        state === undefined ? undefined : eq(parcels.state, state),
        // Nine digits as well: the parcel may be stored with five.
        ...zips.map((zip) => inZips(parcels.zip, [fiveDigits(zip)])),
      ),
    )
    .limit(2);
  const [only, another] = rows;
  return only && !another ? [leadData(only, plan, style)] : [];
}
