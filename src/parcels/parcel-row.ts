import { scoreColumns, type ParcelRow } from './evaluate-parcel.ts';
import type { ParcelField, ParcelFields } from './parcel-fields.ts';
import { readStreet } from './street-key.ts';

/** A parcel of which nothing is known but what has to be. */
const UNKNOWN = {
  state: 'TX',
  location: null,
  ownerName: '',
  mailingAddress: '',
  mailingState: null,
  ownerOccupied: true,
  ownedSince: null,
  freeAndClear: false,
  ownerBirthYear: null,
  vacant: false,
  probateFiledOn: null,
  foreclosureNoticeOn: null,
  taxDelinquentYears: 0,
  openCodeViolations: 0,
} satisfies Partial<ParcelRow>;

/** The parcel's id, `<county>:<account_num>` (spec §2.2). */
export function parcelId({ county, account_num }: Pick<ParcelFields, 'county' | 'account_num'>) {
  return `${county}:${account_num}`;
}

/**
 * The row of a parcel: these fields over what is stored of it, if anything is, scored as of a day.
 * Fields that are not given stay as they are; null makes them unknown again.
 */
export function parcelRow(
  fields: ParcelFields,
  stored: ParcelRow | undefined,
  day: string,
): ParcelRow {
  const { county, account_num: accountNum, address, city, zip, lng, lat, ...others } = fields;
  const street = readStreet(address);
  const row = {
    ...(stored ?? UNKNOWN),
    ...known(others),
    ...(typeof lng === 'number' && typeof lat === 'number' && { location: { lng, lat } }),
    ...(lng === null && { location: null }),
    ...{ id: parcelId(fields), county, accountNum, address, city, zip },
    houseNumber: street?.houseNumber ?? null,
    streetKey: street?.streetKey ?? null,
  };
  const scored = scoreColumns(row, day);
  return { ...row, ...scored, announcedScore: stored?.announcedScore ?? scored.score };
}

/** The given fields by the names of their columns; null is what an unknown one holds. */
function known(fields: Partial<Record<ParcelField, unknown>>): Partial<ParcelRow> {
  const columns = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const column = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [column, value ?? (UNKNOWN as Record<string, unknown>)[column] ?? null] as const;
    });
  return Object.fromEntries(columns);
}
