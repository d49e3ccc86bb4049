import {
  DIRECTIONS,
  LONE_UNITS,
  NUMBER_SIGNS,
  ROAD_WORDS,
  STREET_SUFFIXES,
  SUFFIXES_WITHOUT_NUMBERS,
  UNITS,
} from './street-words.ts';

/*
 * Apartments, suites and the like in the words of a street (upper-case, `#` a word by itself). Only
 * what stands at the end and is nothing but units is taken away; anything else may be the name.
 */

/** A unit with a hyphen in it, `APT 4-B`: to be replaced with `$1$2`. */
export const HYPHENATED_UNIT = new RegExp(
  `((?:#|\\b(?:${[...UNITS].join('|')})\\b) ?#? ?\\w{1,4})-(\\w{1,4})\\b`,
  'g',
);

/**
 * Takes the sign away from the number of a road, in `COUNTY ROAD # 305` or `OLD NO 5 RD`: where only
 * a direction and words for kinds of roads stand before it, it numbers the road and no unit.
 */
export function withoutNumberSign(words: readonly string[]): string[] {
  const sign = words.findIndex((word, i) => i > 0 && NUMBER_SIGNS.has(word));
  if (sign < 0 || !/^(?:\d+[A-Z]?|[A-Z]\d*)$/.test(words[sign + 1] ?? '')) return [...words];
  const before = words.slice(DIRECTIONS.has(words[0] ?? '') ? 1 : 0, sign);
  const onlyRoad =
    before.every((word) => ROAD_WORDS.has(word)) ||
    (before.length === 1 && STREET_SUFFIXES.has(before[0] ?? ''));
  return onlyRoad ? words.toSpliced(sign, 1) : [...words];
}

/** The words without the units at the end; the first `kept` words belong to the street in any case. */
export function withoutUnits(words: readonly string[], kept = 1): string[] {
  const first = kept > 0 && DIRECTIONS.has(words[0] ?? '') ? kept + 1 : kept;
  for (let i = first; i < words.length; i += 1) {
    if (isAllUnits(words, i, kept)) return words.slice(0, i);
  }
  const suffix = STREET_SUFFIXES.get(words.at(-2) ?? '');
  const isLoneNumber = suffix !== undefined && SUFFIXES_WITHOUT_NUMBERS.has(suffix);
  // Five digits are a ZIP code.
  const withNumber = words.length > 2 && isLoneNumber && /^\d{1,4}[A-Z]?$/.test(words.at(-1) ?? '');
  return withNumber ? words.slice(0, -1) : [...words];
}

function isAllUnits(words: readonly string[], from: number, kept: number): boolean {
  let at = from;
  while (at < words.length) {
    const length = unitLength(words, at, kept);
    if (length === 0) return false;
    at += length;
  }
  return true;
}

/** How many words the unit has that begins at a place; 0 when none does. */
function unitLength(words: readonly string[], at: number, kept: number): number {
  const [word = '', next = ''] = words.slice(at);
  // `2nd Floor` has its number before it.
  if (/^\d+(?:ST|ND|RD|TH)$/.test(word)) return next === 'FL' || next === 'FLOOR' ? 2 : 0;
  if (word === '#' || UNITS.has(word)) {
    const sign = word !== '#' && next === '#' ? 2 : 1;
    const names = nameLength(words, at + sign, word === '#' || sign === 2);
    // `FL 33101` is Florida.
    if (word === 'FL' && (words[at + sign] ?? '').length > 3) return 0;
    if (names > 0 || word === '#') return sign + names;
  }
  // `Rear` may be all that the street is called.
  return LONE_UNITS.has(word) && (kept === 0 || at > kept) ? 1 : 0;
}

/**
 * How many words name a unit: one that has a digit or is a letter or two (`Space Center Blvd` is a
 * street), and numbers and letters after it, but nothing that may be a suffix or a direction.
 */
function nameLength(words: readonly string[], at: number, afterSign: boolean): number {
  const first = words[at] ?? '';
  const named = afterSign
    ? /^[A-Z\d]{1,8}$/.test(first)
    : /^(?:[A-Z]{0,2}\d+[A-Z]{0,2}\d{0,3}|[A-Z]{1,2})$/.test(first);
  const isOther = STREET_SUFFIXES.has(first) || (first.length > 1 && DIRECTIONS.has(first));
  if (!named || isOther) return 0;
  let length = 1;
  while (/^(?:\d{1,4}[A-Z]?|[A-DF-MO-RT-VX-Z])$/.test(words[at + length] ?? '')) length += 1;
  return length;
}
