import type { InferSelectModel } from 'drizzle-orm';
import type { parcels } from '../../drizzle/schema.ts';
import { evaluate, type Signals } from '../domain/score.ts';

/** A parcel as it is stored. */
export type ParcelRow = InferSelectModel<typeof parcels>;

/** What the score is made of: the signals are columns of the same names. */
export function signalsOf(parcel: Signals): Signals {
  return {
    probateFiledOn: parcel.probateFiledOn,
    foreclosureNoticeOn: parcel.foreclosureNoticeOn,
    taxDelinquentYears: parcel.taxDelinquentYears,
    openCodeViolations: parcel.openCodeViolations,
    vacant: parcel.vacant,
    ownerOccupied: parcel.ownerOccupied,
    mailingState: parcel.mailingState,
    state: parcel.state,
    ownedSince: parcel.ownedSince,
    freeAndClear: parcel.freeAndClear,
    ownerBirthYear: parcel.ownerBirthYear,
  };
}

/** The columns that a parcel's signals come to on a day (YYYY-MM-DD). */
export function scoreColumns(
  parcel: Signals,
  day: string,
): Pick<ParcelRow, 'score' | 'leadTypes' | 'scoredOn'> {
  const { score, reasons } = evaluate(signalsOf(parcel), day);
  return { score, leadTypes: reasons.map(({ type }) => type), scoredOn: day };
}

/** The day that it is now, in UTC as PostgreSQL's current_date is here. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
