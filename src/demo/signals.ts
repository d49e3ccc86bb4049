import type { ParcelFields } from '../parcels/parcel-fields.ts';
import type { OwnerKind } from './people.ts';
import type { SeededRandom } from './seeded-random.ts';

/** What is known of a made-up parcel besides where it is and what its owner is called. */
export interface DemoSignals {
  ownerKind: OwnerKind;
  outOfState: boolean;
  signals: Pick<
    ParcelFields,
    | 'owner_occupied'
    | 'owned_since'
    | 'free_and_clear'
    | 'owner_birth_year'
    | 'vacant'
    | 'probate_filed_on'
    | 'foreclosure_notice_on'
    | 'tax_delinquent_years'
    | 'open_code_violations'
  >;
}

/**
 * How often things are so. Trouble comes in company: a neglected house is likely to be empty, in
 * arrears and cited at once, which is what makes the few high scores.
 */
const FREQUENCIES = {
  ordinary: {
    ...{ elsewhere: 0.2, outOfState: 0.22, vacant: 0.015, tax: 0.03, violation: 0.02 },
    ...{ probate: 0.004, foreclosure: 0.006, mostTaxYears: 2, leastYears: 0 },
  },
  aging: {
    ...{ elsewhere: 0.45, outOfState: 0.3, vacant: 0.13, tax: 0.33, violation: 0.14 },
    ...{ probate: 0.02, foreclosure: 0.03, mostTaxYears: 3, leastYears: 13 },
  },
  neglected: {
    ...{ elsewhere: 0.5, outOfState: 0.35, vacant: 0.3, tax: 0.42, violation: 0.28 },
    ...{ probate: 0.16, foreclosure: 0.12, mostTaxYears: 4, leastYears: 8 },
  },
} as const;

/** Draws the signals of a parcel as they are on a day (YYYY-MM-DD). */
export function drawSignals(random: SeededRandom, day: string): DemoSignals {
  const often = FREQUENCIES[drawCondition(random)];
  const yearsOwned = often.leastYears + drawYears(random);
  const probate = random.chance(often.probate);
  const ownerKind = probate ? 'estate' : drawOwner(random);
  const elsewhere = ownerKind === 'company' || random.chance(often.elsewhere);
  const age = 26 + yearsOwned + random.between(0, 34);
  const hasAge = (ownerKind === 'person' || ownerKind === 'couple') && random.chance(0.85);
  return {
    ownerKind,
    outOfState: elsewhere && random.chance(often.outOfState),
    signals: {
      owner_occupied: !elsewhere,
      owned_since: daysBefore(day, Math.floor(yearsOwned * 365.25) + random.between(0, 364)),
      free_and_clear: random.chance(Math.min(0.75, 0.05 + yearsOwned * 0.021)),
      owner_birth_year: hasAge ? Number(day.slice(0, 4)) - Math.min(age, 97) : null,
      vacant: random.chance(often.vacant),
      probate_filed_on: probate ? daysBefore(day, random.between(5, 900)) : null,
      foreclosure_notice_on: random.chance(often.foreclosure)
        ? daysBefore(day, random.between(3, 420))
        : null,
      tax_delinquent_years: random.chance(often.tax) ? random.between(1, often.mostTaxYears) : 0,
      open_code_violations: random.chance(often.violation) ? random.between(1, 4) : 0,
    },
  };
}

function drawCondition(random: SeededRandom): keyof typeof FREQUENCIES {
  const drawn = random.next();
  if (drawn < 0.105) return 'neglected';
  return drawn < 0.55 ? 'aging' : 'ordinary';
}

/** Most houses change hands within a few years; some stay for two generations. */
function drawYears(random: SeededRandom): number {
  const a = random.next();
  return Math.floor(a * a * 48);
}

function drawOwner(random: SeededRandom): OwnerKind {
  const drawn = random.next();
  if (drawn < 0.08) return 'company';
  if (drawn < 0.13) return 'trust';
  return drawn < 0.45 ? 'couple' : 'person';
}

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
}
