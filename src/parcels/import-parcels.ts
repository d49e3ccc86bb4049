import { stat } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import type { Db, Tx } from '../db/client.ts';
import { badRequest, conflict, unavailable } from '../errors.ts';
import { today } from './evaluate-parcel.ts';
import { FaultList } from './import-faults.ts';
import { importRows } from './import-rows.ts';
import type { ParcelFields } from './parcel-fields.ts';
import { inBulk, PARCEL_BATCH, upsertParcels } from './upsert-parcels.ts';

/** How far an import has come. */
export interface ImportProgress {
  phase: 'checking' | 'writing';
  /** Rows of this phase so far. */
  rows: number;
  /** From 0 to 1, of this phase. */
  fraction: number;
}

/** Any fixed number: it names the lock that one import at a time can have. */
const IMPORT_LOCK = 7_215_663_119;

/**
 * Brings parcels up to date from a CSV file (docs/importing.md), all of them or none. The file is
 * read twice: first every row is checked, and any bad one refuses the file (ImportRefused, with each
 * bad row); then the rows are written in one transaction. At no time are more than PARCEL_BATCH rows
 * held in memory. Nobody may change the file meanwhile. `conflict` while another import writes.
 */
export async function importParcels(
  db: Db,
  path: string,
  onProgress: (progress: ImportProgress) => void = () => undefined,
): Promise<{ parcels: number }> {
  const size = await sizeOf(path);
  const read = async (
    phase: ImportProgress['phase'],
    take: (batch: ParcelFields[]) => Promise<unknown> | undefined,
  ): Promise<number> => {
    const faults = new FaultList();
    let rows = 0;
    for await (const { batch, bytesRead } of batches(path, faults)) {
      await take(batch);
      rows += batch.length;
      onProgress({ phase, rows, fraction: Math.min(1, bytesRead / size) });
    }
    faults.refuse();
    return rows;
  };
  await read('checking', () => undefined);
  const day = today();
  const parcels = await inBulk(db, async (tx) => {
    await claimImport(tx);
    return read('writing', (batch) => upsertParcels(tx, batch, day));
  });
  return { parcels };
}

/** Two imports at once would lock the same parcels in different orders. */
async function claimImport(tx: Tx): Promise<void> {
  const [row] = await tx.execute<{ free: boolean }>(
    sql`select pg_try_advisory_xact_lock(${IMPORT_LOCK}::bigint) as free`,
  );
  if (!row?.free) throw conflict('Another import is running; try again when it is done.');
}

/** The good rows, up to PARCEL_BATCH at a time. */
async function* batches(path: string, faults: FaultList) {
  let batch: ParcelFields[] = [];
  let bytesRead = 0;
  for await (const row of importRows(path, faults)) {
    batch.push(row.fields);
    bytesRead = row.bytesRead;
    if (batch.length < PARCEL_BATCH) continue;
    yield { batch, bytesRead };
    batch = [];
  }
  if (batch.length > 0) yield { batch, bytesRead };
}

/**
 * The size in bytes. A pipe or a device is refused: it can be read once, and the file is read twice.
 */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    throw unavailable(`${path} cannot be read: ${(error as Error).message}`, error);
  });
  if (found.isFile()) return found.size;
  throw badRequest(
    'file',
    `file: must be a regular file, since it is read twice (checked, then written); ${path} is none. Save it to a file first.`,
  );
}
