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

/** `2026-01-02 03:04:05.6789+00` as Postgres writes it (in UTC) → `2026-01-02T03:04:05.678900Z`. */
export function isoFromPostgres(text: string): string {
  const match = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text);
  if (!match) throw new Error(`not a UTC timestamp of PostgreSQL: ${text}`);
  return `${match[1]}T${match[2]}.${(match[3] ?? '').padEnd(6, '0')}Z`;
}
