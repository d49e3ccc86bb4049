import { sql } from 'drizzle-orm';
import { parcels } from '../../drizzle/schema.ts';
import type { Db, Tx } from '../db/client.ts';
import type { ParcelRow } from './evaluate-parcel.ts';
import { parcelId, parcelRow } from './parcel-row.ts';
import type { ParcelFields } from './parcel-fields.ts';

/** How many parcels one statement should carry: more are no faster and take more memory. */
export const PARCEL_BATCH = 1_000;

/** Every column with its type, in the order in which they are written. */
const COLUMNS = {
  id: 'text',
  county: 'text',
  account_num: 'text',
  address: 'text',
  city: 'text',
  zip: 'text',
  state: 'text',
  house_number: 'text',
  street_key: 'text',
  location: 'point',
  owner_name: 'text',
  mailing_address: 'text',
  mailing_state: 'text',
  owner_occupied: 'boolean',
  owned_since: 'date',
  free_and_clear: 'boolean',
  owner_birth_year: 'integer',
  vacant: 'boolean',
  probate_filed_on: 'date',
  foreclosure_notice_on: 'date',
  tax_delinquent_years: 'integer',
  open_code_violations: 'integer',
  score: 'integer',
  announced_score: 'integer',
  lead_types: 'text[]',
  scored_on: 'date',
} as const;

const NAMES = Object.keys(COLUMNS);

const columnList = sql.raw(NAMES.join(', '));
const recordType = sql.raw(
  Object.entries(COLUMNS)
    .map(([name, type]) => `${name} ${type}`)
    .join(', '),
);
const overwrite = sql.raw(
  NAMES.slice(3)
    // What has been made known stays known: the next rescore tells of the difference.
    .filter((name) => name !== 'announced_score')
    .map((name) => `${name} = excluded.${name}`)
    .join(', '),
);

/**
 * Runs work that writes many batches, in one transaction. The plan that PostgreSQL keeps for a
 * statement is one for the table as it was when the work began: an empty table is best read from end
 * to end, which takes ever longer as it grows (measured: more than three times as long altogether
 * for 200,000). So each statement is planned anew, and what comes after gets new statistics.
 */
export async function inBulk<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`set local plan_cache_mode = force_custom_plan`);
    const result = await work(tx);
    await tx.execute(sql`analyze parcels`);
    return result;
  });
}

/**
 * Adds parcels or brings those that are there up to date, and scores them as of a day. To be called
 * in a transaction, with no parcel twice: what is stored is locked while it is merged.
 */
export async function upsertParcels(
  tx: Db,
  batch: readonly ParcelFields[],
  day: string,
): Promise<ParcelRow[]> {
  const ids = batch.map(parcelId);
  const found = await tx
    .select()
    .from(parcels)
    .where(sql`${parcels.id} = any (${sql.param(ids)}::text[])`)
    .orderBy(parcels.id)
    .for('update');
  const stored = new Map(found.map((row) => [row.id, row]));
  const rows = batch.map((fields) => parcelRow(fields, stored.get(parcelId(fields)), day));
  await writeRows(tx, rows);
  return rows;
}

async function writeRows(tx: Db, rows: readonly ParcelRow[]): Promise<void> {
  const records = JSON.stringify(rows.map(asRecord));
  await tx.execute(sql`
    insert into parcels (${columnList})
    select ${columnList} from json_to_recordset(${records}::json) as row (${recordType})
    on conflict (id) do update set ${overwrite}`);
}

/** A row by the names of its columns. */
function asRecord({ location, ...row }: ParcelRow): Record<string, unknown> {
  const entries = Object.entries(row).map(([key, value]) => [snakeCase(key), value]);
  const point = location && `(${location.lng},${location.lat})`;
  return { ...Object.fromEntries(entries), location: point };
}

function snakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
