import { LEAD_TYPE_IDS, LEAD_TYPES, type LeadType } from './lead-type.ts';
import { planIncludes, type Plan } from './plan.ts';

/*
 * The score of a parcel: a pure function of its signals and of the day. docs/scoring.md explains it
 * to customers, with the same figures.
 */

/** What is known of a parcel and its owner; dates are YYYY-MM-DD. */
export interface Signals {
  probateFiledOn: string | null;
  foreclosureNoticeOn: string | null;
  /** Years of unpaid property tax. */
  taxDelinquentYears: number;
  openCodeViolations: number;
  vacant: boolean;
  ownerOccupied: boolean;
  /** The state of the mailing address, two letters. */
  mailingState: string | null;
  /** The state of the property. */
  state: string;
  ownedSince: string | null;
  freeAndClear: boolean;
  ownerBirthYear: number | null;
}

/** One thing that speaks for a lead: how many points, and how it is told. */
export interface Reason {
  type: LeadType;
  points: number;
  text: string;
}

export interface Evaluation {
  /** 0 to 100. */
  score: number;
  /** The strongest first. */
  reasons: Reason[];
}

/** Evaluates a parcel's signals as of a day (YYYY-MM-DD). */
export function evaluate(signals: Signals, day: string): Evaluation {
  const reasons = LEAD_TYPE_IDS.flatMap((type) => {
    const finding = RULES[type](signals, day);
    return finding ? [{ type, ...finding }] : [];
  });
  reasons.sort((a, b) => b.points - a.points || order(a.type) - order(b.type));
  const total = reasons.reduce((sum, { points }) => sum + points, 0);
  return { score: Math.min(100, total), reasons };
}

/** The reasons that a plan carries; what is above it is left out everywhere (spec §2.2). */
export function visibleReasons(reasons: readonly Reason[], plan: Plan): Reason[] {
  return reasons.filter(({ type }) => planIncludes(plan, LEAD_TYPES[type].plan));
}

/** The reasons in one sentence, `why` of spec §2.2. */
export function describeReasons(reasons: readonly Reason[]): string {
  const text = reasons.map((reason) => reason.text).join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type Rule = (signals: Signals, day: string) => Finding | undefined;

interface Finding {
  points: number;
  text: string;
}

function found(points: number, text: string): Finding {
  return { points, text };
}

const RULES: Readonly<Record<LeadType, Rule>> = {
  probate({ probateFiledOn }, day) {
    const months = monthsSince(probateFiledOn, day);
    if (months === undefined || months >= 24) return undefined;
    return months < 12
      ? found(35, 'probate opened in the last 12 months')
      : found(20, 'probate opened in the last 24 months');
  },
  'pre-foreclosure'({ foreclosureNoticeOn }, day) {
    const months = monthsSince(foreclosureNoticeOn, day);
    if (months === undefined || months >= 12) return undefined;
    return months < 6
      ? found(35, 'foreclosure notice in the last 6 months')
      : found(20, 'foreclosure notice in the last 12 months');
  },
  'code-violation': ({ openCodeViolations: open }) =>
    open < 1
      ? undefined
      : found(
          Math.min(9 + 3 * open, 18),
          open === 1 ? 'an open code violation' : `${open} open code violations`,
        ),
  'tax-delinquent': ({ taxDelinquentYears: years }) =>
    years < 1
      ? undefined
      : found(
          Math.min(10 + 5 * years, 30),
          years === 1 ? 'property tax unpaid for a year' : `property tax unpaid for ${years} years`,
        ),
  vacant: ({ vacant }) => (vacant ? found(15, 'the building is vacant') : undefined),
  'free-clear': ({ freeAndClear }) =>
    freeAndClear ? found(10, 'no mortgage is on record') : undefined,
  'senior-ov65'({ ownerBirthYear }, day) {
    if (ownerBirthYear === null) return undefined;
    const age = Number(day.slice(0, 4)) - ownerBirthYear;
    return age >= 65 ? found(10, `the owner is ${age} or about to be`) : undefined;
  },
  'absentee-owner': ({ ownerOccupied }) =>
    ownerOccupied ? undefined : found(10, 'the owner lives elsewhere'),
  'out-of-state-owner': ({ ownerOccupied, mailingState, state }) =>
    !ownerOccupied && mailingState !== null && mailingState !== state
      ? found(8, `the owner's mail goes to ${mailingState}`)
      : undefined,
  'long-term-owner'({ ownedSince }, day) {
    const years = Math.floor((monthsSince(ownedSince, day) ?? 0) / 12);
    if (years < 15) return undefined;
    return found(years >= 25 ? 15 : 10, `owned for ${years} years`);
  },
};

/**
 * Whole calendar months between a date and a day (both YYYY-MM-DD); undefined for a date that is
 * unknown or yet to come. A month is full on the same day of a later one, as PostgreSQL has it in
 * `date <= day - interval`: what began on 29 February is a year old on 1 March. Texts are compared, since
 * the rescore asks this for every parcel there is.
 */
function monthsSince(date: string | null, day: string): number | undefined {
  if (date === null || date > day) return undefined;
  const begun = monthNumber(day) - monthNumber(date);
  return date.slice(8, 10) > day.slice(8, 10) ? begun - 1 : begun;
}

function monthNumber(date: string): number {
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));
}

function order(type: LeadType): number {
  return LEAD_TYPE_IDS.indexOf(type);
}
