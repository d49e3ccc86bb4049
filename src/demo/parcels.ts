import type { ParcelFields } from '../parcels/parcel-fields.ts';
import { firstDemoParcels } from './first-parcels.ts';
import { mailingElsewhere, ownerName } from './people.ts';
import { DEMO_COUNTIES, type DemoCity } from './places.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { drawSignals } from './signals.ts';
import { homesOf, type DemoHome } from './streets.ts';

/** Change it and every made-up parcel is another. */
const SEED = 20_260_101;

/** Blocks of one city begin so far from those of the one before. */
const BLOCKS_PER_CITY = 500;

/**
 * All parcels of the demo, about 20,000 in two counties, the same ones for every call with the same
 * day (YYYY-MM-DD): dates are counted back from it, so that as many leads are fresh whenever the demo
 * begins.
 */
export function* demoParcels(day: string): Generator<ParcelFields> {
  yield* firstDemoParcels(day);
  const random = createSeededRandom(SEED);
  for (const [county, cities] of Object.entries(DEMO_COUNTIES)) {
    for (const [i, city] of cities.entries()) {
      const homes = homesOf(random, city, 101 + i * BLOCKS_PER_CITY);
      for (let made = 0; made < city.parcels; made += 1) {
        const { value } = homes.next();
        yield madeUp(random, county, city, value as DemoHome, day);
      }
    }
  }
}

function madeUp(
  random: SeededRandom,
  county: string,
  city: DemoCity,
  home: DemoHome,
  day: string,
): ParcelFields {
  const { ownerKind, outOfState, signals } = drawSignals(random, day);
  const address = `${home.street}, ${city.name}, TX ${home.zip}`;
  const mailing = signals.owner_occupied
    ? { mailing_address: address, mailing_state: 'TX' }
    : mailingElsewhere(random, outOfState);
  return {
    ...{ county, account_num: home.accountNum, address, city: city.name, zip: home.zip },
    ...{ state: 'TX', lng: home.lng, lat: home.lat },
    owner_name: ownerName(random, ownerKind),
    ...mailing,
    ...signals,
  };
}
