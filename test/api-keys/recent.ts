import type { Database } from '../../src/db/client.ts';
import { createKey } from '../../src/api-keys/create-key.ts';
import type { TestRecords } from '../support/records.ts';

/** A key of a new account. */
export async function newKey(records: TestRecords) {
  const { id: accountId } = await records.newAccount();
  const { id: keyId, key } = await createKey(records.context, { accountId, name: 'test' });
  return { accountId, keyId, key };
}

/** Makes a key have been used so many milliseconds ago, each; the oldest first. */
export async function setRecent({ sql }: Database, keyId: string, agesMs: number[]) {
  await sql`update api_keys set recent = (
      select coalesce(array_agg(clock.at - make_interval(secs => age / 1000) order by age desc), '{}')
      from unnest(${agesMs}::float8[]) age, (select clock_timestamp() as at) clock)
    where id = ${keyId}`;
}

/** Lets time pass for one key: everything that it did was so much longer ago. */
export async function letPass({ sql }: Database, keyId: string, ms: number) {
  await sql`update api_keys set recent = (
      select coalesce(array_agg(r - make_interval(secs => ${ms / 1000}::float8) order by i), '{}')
      from unnest(recent) with ordinality as u (r, i))
    where id = ${keyId}`;
}

/** The moments that are kept of a key, in milliseconds since 1970, as they lie in the row. */
export async function recentOf({ sql }: Database, keyId: string): Promise<number[]> {
  const rows = await sql<{ ms: number }[]>`
    select (extract(epoch from r) * 1000)::float8 as ms
    from api_keys, unnest(recent) with ordinality as u (r, i)
    where id = ${keyId} order by i`;
  return rows.map(({ ms }) => ms);
}
