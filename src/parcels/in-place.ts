import { sql, type SQL, type SQLWrapper } from 'drizzle-orm';

/*
 * How a parcel's city and ZIP code are compared with what somebody asks for: one rule for the lookup
 * and for saved searches.
 */

/** What may be left out of the name of a city. */
const LEFT_OUT = " .'’-";

/** In one of the cities: case, spaces, dots, apostrophes and hyphens do not count. */
export function inCities(city: SQLWrapper, wanted: readonly string[]): SQL {
  const keys = wanted.map((name) =>
    [...name.toLowerCase().trim()].filter((character) => !LEFT_OUT.includes(character)).join(''),
  );
  return sql`translate(lower(${city}), ${LEFT_OUT}, '') = any (${sql.param(keys)}::text[])`;
}

/**
 * In one of the ZIP codes. Five digits mean all codes that begin with them, since a parcel may be
 * stored with four more (ZIP+4); nine digits mean just that. The first condition is what the index
 * parcels_zip5_score is made of.
 */
export function inZips(zip: SQLWrapper, wanted: readonly string[]): SQL {
  const first = wanted.map(fiveDigits);
  const anyOfFirst = sql`left(${zip}, 5) = any (${sql.param(first)}::text[])`;
  if (wanted.every((code) => code === fiveDigits(code))) return anyOfFirst;
  const whole = wanted.filter((code) => code === fiveDigits(code));
  return sql`(${anyOfFirst} and (
    left(${zip}, 5) = any (${sql.param(whole)}::text[]) or
    ${zip} = any (${sql.param(wanted)}::text[])))`;
}

/** The first five digits of a ZIP code, `75010` of `75010-1234` or `750101234`. */
export function fiveDigits(zip: string): string {
  return zip.trim().replace(/^(\d{5})-?\d{4}$/, '$1');
}
