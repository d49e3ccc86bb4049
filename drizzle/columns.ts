import { customType } from 'drizzle-orm/pg-core';

/**
 * A moment, read and written as ISO 8601 in UTC with microseconds (`2026-01-02T03:04:05.678901Z`).
 * A JavaScript Date would cut the microseconds, which order the events of one subject.
 */
export const moment = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (6) with time zone',
  fromDriver: isoFromPostgres,
});

/** Bytes, exactly as given. */
export const bytes = customType<{ data: Buffer; driverData: Buffer }>({
  dataType: () => 'bytea',
});

/** A place: longitude and latitude in degrees. */
export interface LngLat {
  lng: number;
  lat: number;
}

export const point = customType<{ data: LngLat; driverData: string }>({
  dataType: () => 'point',
  toDriver: pointText,
  fromDriver(text) {
    const [lng = NaN, lat = NaN] = text.replaceAll(/[()]/g, '').split(',').map(Number);
    return { lng, lat };
  },
});

/** A closed shape by its corners, three at the least. */
export const polygon = customType<{ data: LngLat[]; driverData: string }>({
  dataType: () => 'polygon',
  toDriver: (corners) => `(${corners.map(pointText).join(',')})`,
  fromDriver(text) {
    const numbers = text.replaceAll(/[()]/g, '').split(',').map(Number);
    return Array.from({ length: numbers.length / 2 }, (_, i) => ({
      lng: numbers[2 * i] ?? NaN,
      lat: numbers[2 * i + 1] ?? NaN,
    }));
  },
});

function pointText({ lng, lat }: LngLat): string {
  return `(${lng},${lat})`;
}

/** `2026-01-02 03:04:05.6789+00` as Postgres writes it (in UTC) → `2026-01-02T03:04:05.678900Z`. */
export function isoFromPostgres(text: string): string {
  const match = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text);
  if (!match) throw new Error(`not a UTC timestamp of PostgreSQL: ${text}`);
  return `${match[1]}T${match[2]}.${(match[3] ?? '').padEnd(6, '0')}Z`;
}
