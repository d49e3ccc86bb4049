import { eq } from 'drizzle-orm';
import { parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { today } from '../parcels/evaluate-parcel.ts';
import type { ParcelFields } from '../parcels/parcel-fields.ts';
import { parcelId } from '../parcels/parcel-row.ts';
import { inBulk, PARCEL_BATCH, upsertParcels } from '../parcels/upsert-parcels.ts';
import { firstDemoParcels } from './first-parcels.ts';
import { demoParcels } from './parcels.ts';

/**
 * Loads the parcels of the demo when they are missing: all in one transaction, so that one of them
 * stands for all. What is there is left alone, whatever was changed about it.
 */
export async function loadDemoParcels(
  db: Db,
  progress: (message: string) => void = () => undefined,
): Promise<{ loaded: number }> {
  const day = today();
  if (await exists(db, firstMadeUp(day))) return { loaded: 0 };
  const all = [...demoParcels(day)];
  const say = (done: number) =>
    progress(`Demo data: ${shown(done)} of ${shown(all.length)} parcels`);
  await inBulk(db, async (tx) => {
    for (let start = 0; start < all.length; start += PARCEL_BATCH) {
      if (start % (5 * PARCEL_BATCH) === 0) say(start);
      const batch: ParcelFields[] = all.slice(start, start + PARCEL_BATCH);
      await upsertParcels(tx, batch, day);
    }
  });
  say(all.length);
  return { loaded: all.length };
}

/** Not one of those that were in the demo before there were others. */
function firstMadeUp(day: string): string {
  const before = firstDemoParcels(day).length;
  let passed = 0;
  for (const parcel of demoParcels(day)) {
    if (passed === before) return parcelId(parcel);
    passed += 1;
  }
  throw new Error('the demo has no made-up parcels');
}

async function exists(db: Db, id: string): Promise<boolean> {
  const found = await db.select({ id: parcels.id }).from(parcels).where(eq(parcels.id, id));
  return found.length > 0;
}

function shown(count: number): string {
  return count.toLocaleString('en-US');
}
