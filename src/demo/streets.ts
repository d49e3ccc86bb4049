import { STREET_WORDS, type DemoCity } from './places.ts';
import type { SeededRandom } from './seeded-random.ts';

/** One house, or one apartment of a building with several. */
export interface DemoHome {
  /** The county's number: block, lot, and for an apartment its unit. */
  accountNum: string;
  /** House number, street and unit. */
  street: string;
  zip: string;
  lng: number;
  lat: number;
}

/** Streets of the parcels that have been in the demo from the beginning. */
const TAKEN = ['Alder Ct', 'Birchwood Ave', 'Cedar Hollow Rd', 'Dogwood Ln', 'Elmhurst Blvd'];

/** The steps between neighbours in degrees: about 20 metres. */
const PLOT = 0.0002;

/** The homes of a city, street by street, in blocks that are numbered from `firstBlock`. */
export function* homesOf(
  random: SeededRandom,
  city: DemoCity,
  firstBlock: number,
): Generator<DemoHome> {
  const names = new Set(TAKEN);
  for (let block = firstBlock; ; block += 1) {
    yield* homesOfStreet(random, city, newName(random, names), block);
  }
}

function newName(random: SeededRandom, taken: Set<string>): string {
  for (;;) {
    const name = nameOf(random);
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

function nameOf(random: SeededRandom): string {
  const suffix = random.pick(STREET_WORDS.suffix);
  if (random.chance(0.06)) return `${random.pick(['N ', 'S ', ''])}${ordinal(random)} St`;
  if (random.chance(0.01)) return `FM ${random.between(400, 3_900)}`;
  const first = random.pick(STREET_WORDS.first);
  const direction = random.chance(0.05) ? `${random.pick(['N', 'S', 'E', 'W'])} ` : '';
  if (random.chance(0.35)) return `${direction}${first} ${suffix}`;
  return `${direction}${first} ${random.pick(STREET_WORDS.second)} ${suffix}`;
}

function ordinal(random: SeededRandom): string {
  const number = random.between(1, 24);
  const ending = number > 3 && number < 21 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${ending}`;
}

function* homesOfStreet(
  random: SeededRandom,
  { center, reach, zips }: DemoCity,
  name: string,
  block: number,
): Generator<DemoHome> {
  const houses = random.between(12, 60);
  const alongLng = random.chance(0.5);
  const room = reach - houses * PLOT * 0.25;
  const from = {
    lng: center.lng + (random.next() * 2 - 1) * room,
    lat: center.lat + (random.next() * 2 - 1) * room,
  };
  const zip = random.pick(zips);
  const first = random.between(1, 60) * 100;
  for (let house = 0; house < houses; house += 1) {
    // Even numbers on one side, odd ones on the other.
    const along = (Math.floor(house / 2) - houses / 4) * PLOT;
    const aside = (house % 2 === 0 ? 1 : -1) * PLOT * (0.8 + random.next() * 0.2);
    const place = {
      lng: round(from.lng + (alongLng ? along : aside)),
      lat: round(from.lat + (alongLng ? aside : along)),
    };
    const number = first + Math.floor(house / 2) * 4 + (house % 2) + random.between(0, 1) * 2;
    const lot = `${String(block).padStart(4, '0')}-${String(house + 1).padStart(2, '0')}`;
    const street = `${number} ${name}`;
    const units = random.chance(0.005) ? random.between(4, 24) : 0;
    if (units === 0) yield { accountNum: lot, street, zip, ...place };
    for (let unit = 1; unit <= units; unit += 1) {
      const accountNum = `${lot}.${String(unit).padStart(2, '0')}`;
      yield { accountNum, street: `${street} Unit ${unit}`, zip, ...place };
    }
  }
}

/** To about ten centimetres. */
function round(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
