import type { Db } from '../../src/db/client.ts';
import { mailingElsewhere, ownerName } from '../../src/demo/people.ts';
import { createSeededRandom, type SeededRandom } from '../../src/demo/seeded-random.ts';
import { drawSignals } from '../../src/demo/signals.ts';
import { today } from '../../src/parcels/evaluate-parcel.ts';
import type { ParcelFields } from '../../src/parcels/parcel-fields.ts';
import { inBulk, PARCEL_BATCH, upsertParcels } from '../../src/parcels/upsert-parcels.ts';

/** So many counties share the parcels evenly. */
export const BENCH_COUNTIES = 10;
const CITIES = 20;
const ZIPS = 50;

/** The south-west corner of a county, which is a square of one degree. */
export const countyCorner = (county: number) => ({ lng: -106 + county, lat: 30 });

export const countyName = (county: number): string => `county${county}`;

/** Stores parcels with believable signals, the same ones every time, through the function that an import uses. */
export async function fillParcels(
  db: Db,
  count: number,
  progress: (message: string) => void,
): Promise<void> {
  const day = today();
  const startedAt = Date.now();
  const random = createSeededRandom(1);
  await inBulk(db, async (tx) => {
    for (let done = 0; done < count; done += PARCEL_BATCH) {
      const length = Math.min(PARCEL_BATCH, count - done);
      const batch = Array.from({ length }, (_, i) => benchParcel(random, done + i, day));
      await upsertParcels(tx, batch, day);
      if ((done / PARCEL_BATCH) % 100 === 99) {
        const perSecond = Math.round(((done + PARCEL_BATCH) * 1000) / (Date.now() - startedAt));
        progress(`${done + PARCEL_BATCH} parcels, ${perSecond} a second`);
      }
    }
  });
}

function benchParcel(random: SeededRandom, i: number, day: string): ParcelFields {
  const county = i % BENCH_COUNTIES;
  const corner = countyCorner(county);
  const { ownerKind, outOfState, signals } = drawSignals(random, day);
  const zip = String(10_000 * county + random.between(1, ZIPS)).padStart(5, '0');
  const city = `City ${random.between(1, CITIES)}`;
  const address = `${random.between(1, 9_999)} Street ${Math.floor(i / 1_000)} Rd, ${city}, TX ${zip}`;
  const mailing = signals.owner_occupied
    ? { mailing_address: address, mailing_state: 'TX' }
    : mailingElsewhere(random, outOfState);
  return {
    ...{ county: countyName(county), account_num: String(i).padStart(7, '0') },
    ...{ address, city, zip, state: 'TX', owner_name: ownerName(random, ownerKind) },
    ...{ lng: corner.lng + random.next(), lat: corner.lat + random.next() },
    ...mailing,
    ...signals,
  };
}
