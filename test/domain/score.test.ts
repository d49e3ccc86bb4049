import { sql } from 'drizzle-orm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LEAD_TYPE_IDS, LEAD_TYPES, type LeadType } from '../../src/domain/lead-type.ts';
import { PLANS, planIncludes } from '../../src/domain/plan.ts';
import { describeReasons, evaluate, visibleReasons, type Signals } from '../../src/domain/score.ts';
import { TIER_FLOORS, tierOf } from '../../src/domain/tier.ts';
import { seededRandom } from '../support/random.ts';
import { createTestRecords } from '../support/records.ts';

const DAY = '2026-03-01';

/** A parcel about which there is nothing to say. */
const QUIET: Signals = {
  probateFiledOn: null,
  foreclosureNoticeOn: null,
  taxDelinquentYears: 0,
  openCodeViolations: 0,
  vacant: false,
  ownerOccupied: true,
  mailingState: 'TX',
  state: 'TX',
  ownedSince: null,
  freeAndClear: false,
  ownerBirthYear: null,
};

/** Everything at once. */
const LOUD: Signals = {
  ...QUIET,
  ...{ probateFiledOn: '2026-02-01', foreclosureNoticeOn: '2026-02-01' },
  ...{ taxDelinquentYears: 4, openCodeViolations: 3, vacant: true, ownerOccupied: false },
  ...{ mailingState: 'OK', ownedSince: '1980-01-01', freeAndClear: true, ownerBirthYear: 1930 },
};

test('a parcel without signals is 0, for no reason', () => {
  expect(evaluate(QUIET, DAY)).toEqual({ score: 0, reasons: [] });
  expect(describeReasons([])).toBe('');
});

const RULES: [LeadType, Partial<Signals>, number][] = [
  ['probate', { probateFiledOn: '2026-03-01' }, 35],
  ['probate', { probateFiledOn: '2025-03-02' }, 35],
  ['probate', { probateFiledOn: '2025-03-01' }, 20],
  ['probate', { probateFiledOn: '2024-03-02' }, 20],
  ['probate', { probateFiledOn: '2024-03-01' }, 0],
  ['probate', { probateFiledOn: '2026-03-02' }, 0],
  ['pre-foreclosure', { foreclosureNoticeOn: '2026-03-01' }, 35],
  ['pre-foreclosure', { foreclosureNoticeOn: '2025-09-02' }, 35],
  ['pre-foreclosure', { foreclosureNoticeOn: '2025-09-01' }, 20],
  ['pre-foreclosure', { foreclosureNoticeOn: '2025-03-02' }, 20],
  ['pre-foreclosure', { foreclosureNoticeOn: '2025-03-01' }, 0],
  ['pre-foreclosure', { foreclosureNoticeOn: '2026-03-02' }, 0],
  ['code-violation', { openCodeViolations: 0 }, 0],
  ['code-violation', { openCodeViolations: 1 }, 12],
  ['code-violation', { openCodeViolations: 2 }, 15],
  ['code-violation', { openCodeViolations: 3 }, 18],
  ['code-violation', { openCodeViolations: 40 }, 18],
  ['tax-delinquent', { taxDelinquentYears: 0 }, 0],
  ['tax-delinquent', { taxDelinquentYears: 1 }, 15],
  ['tax-delinquent', { taxDelinquentYears: 2 }, 20],
  ['tax-delinquent', { taxDelinquentYears: 4 }, 30],
  ['tax-delinquent', { taxDelinquentYears: 5 }, 30],
  ['vacant', { vacant: true }, 15],
  ['free-clear', { freeAndClear: true }, 10],
  ['senior-ov65', { ownerBirthYear: 1961 }, 10],
  ['senior-ov65', { ownerBirthYear: 1962 }, 0],
  ['absentee-owner', { ownerOccupied: false }, 10],
  ['out-of-state-owner', { ownerOccupied: false, mailingState: 'OK' }, 8],
  ['out-of-state-owner', { ownerOccupied: false, mailingState: 'TX' }, 0],
  ['out-of-state-owner', { ownerOccupied: false, mailingState: null }, 0],
  ['out-of-state-owner', { ownerOccupied: true, mailingState: 'OK' }, 0],
  ['long-term-owner', { ownedSince: '2011-03-02' }, 0],
  ['long-term-owner', { ownedSince: '2011-03-01' }, 10],
  ['long-term-owner', { ownedSince: '2001-03-02' }, 10],
  ['long-term-owner', { ownedSince: '2001-03-01' }, 15],
  ['long-term-owner', { ownedSince: '2026-03-02' }, 0],
];

describe('each rule, on both sides of its boundaries', () => {
  test.each(RULES)('%s %j: %i', (type, signals, points) => {
    const { score, reasons } = evaluate({ ...QUIET, ...signals }, DAY);
    const reason = reasons.find((found) => found.type === type);
    expect(reason?.points ?? 0).toBe(points);
    expect(score).toBe(reasons.reduce((sum, found) => sum + found.points, 0));
    if (reason) expect(reason.text).toMatch(/^\S.*\S$/);
  });

  test('every lead type has a rule that can speak for it', () => {
    const types = new Set(evaluate(LOUD, DAY).reasons.map(({ type }) => type));
    expect([...types].sort()).toEqual([...LEAD_TYPE_IDS].sort());
  });
});

/** In how many years an owner has had a parcel, as the reason says it. */
function yearsOwned(ownedSince: string, day: string): number | undefined {
  const { reasons } = evaluate({ ...QUIET, ownedSince }, day);
  const years = /^owned for (\d+) years$/.exec(reasons[0]?.text ?? '')?.[1];
  return years === undefined ? undefined : Number(years);
}

describe('years are those of the calendar', () => {
  test.each([
    ['2001-11-21', '2026-11-21', 25],
    ['2001-11-22', '2026-11-21', 24],
    ['2004-02-29', '2030-02-28', 25],
    ['2004-02-29', '2030-03-01', 26],
    ['2005-02-28', '2032-02-29', 27],
  ])('%s to %s: %i', (since, day, years) => {
    expect(yearsOwned(since, day)).toBe(years);
  });

  test('as PostgreSQL counts them', async () => {
    const random = seededRandom();
    const records = await createTestRecords();
    onTestFinished(() => records.close());
    const date = (from: number) => {
      // Often at the end of a month, where calendars differ.
      const [month, last] = random.pick([
        [1, 28],
        [1, 29],
        [1, 27],
        [2, 1],
        [7, 31],
        [8, 30],
      ] as const);
      const time = Date.UTC(from + random.integer(40), month, last + random.integer(2));
      return new Date(time).toISOString().slice(0, 10);
    };
    const pairs = Array.from({ length: 2_000 }, () => ({ since: date(1950), day: date(2005) }));
    const counted = await records.db.execute<{ years: number }>(sql`
      select (select count(*)::int from generate_series(1, 150) n
        where p.since <= p.day - make_interval(years => n)) as years
      from json_to_recordset(${JSON.stringify(pairs)}::json) as p (since date, day date)`);
    const expected = counted.map(({ years }) => (years < 15 ? undefined : years));
    expect(pairs.map(({ since, day }) => yearsOwned(since, day))).toEqual(expected);
  });
});

test('the score is capped at 100, the reasons are not', () => {
  const { score, reasons } = evaluate(LOUD, DAY);
  expect(score).toBe(100);
  expect(reasons.reduce((sum, { points }) => sum + points, 0)).toBeGreaterThan(100);
});

test('the strongest reasons come first; equals in the order of the lead types', () => {
  const { reasons } = evaluate(LOUD, DAY);
  const sorted = reasons.toSorted(
    (a, b) => b.points - a.points || LEAD_TYPE_IDS.indexOf(a.type) - LEAD_TYPE_IDS.indexOf(b.type),
  );
  expect(reasons).toEqual(sorted);
  expect(reasons.slice(0, 2).map(({ type }) => type)).toEqual(['probate', 'pre-foreclosure']);
});

test('is pure: the same answer each time, and what it is given stays as it is', () => {
  const given = Object.freeze({ ...LOUD });
  expect(evaluate(given, DAY)).toEqual(evaluate(given, DAY));
  expect(given).toEqual(LOUD);
  const all = Object.freeze(evaluate(LOUD, DAY).reasons);
  expect(visibleReasons(all, 'free')).toEqual(visibleReasons(all, 'free'));
});

test('grows old: only the day differs', () => {
  const signals = { ...QUIET, probateFiledOn: '2026-03-01' };
  const scores = ['2026-03-01', '2027-03-05', '2028-03-05'].map(
    (day) => evaluate(signals, day).score,
  );
  expect(scores).toEqual([35, 20, 0]);
});

describe('what a plan sees', () => {
  const { reasons } = evaluate(LOUD, DAY);
  test.each(PLANS)('%s', (plan) => {
    const visible = visibleReasons(reasons, plan);
    expect(visible.map(({ type }) => type).sort()).toEqual(
      LEAD_TYPE_IDS.filter((type) => planIncludes(plan, LEAD_TYPES[type].plan)).sort(),
    );
    // Nothing of what is hidden shows in the words either.
    const words = describeReasons(visible);
    for (const { type, text } of reasons) {
      const isVisible = planIncludes(plan, LEAD_TYPES[type].plan);
      expect(words.toLowerCase().includes(text.toLowerCase())).toBe(isVisible);
    }
  });
});

test('reasons are told in one sentence', () => {
  const { reasons } = evaluate({ ...QUIET, vacant: true, taxDelinquentYears: 2 }, DAY);
  expect(describeReasons(reasons)).toBe('Property tax unpaid for 2 years; the building is vacant');
});

test('tiers at their floors (spec §3.4)', () => {
  expect(TIER_FLOORS.moderate).toBe(40);
  const tiers = [0, 39, 40, 59, 60, 79, 80, 100].map(tierOf);
  expect(tiers).toEqual([
    ...['cold', 'cold', 'moderate', 'moderate', 'warm', 'warm', 'hot', 'hot'],
  ]);
});
