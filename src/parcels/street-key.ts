import {
  DIRECTIONS,
  LONE_UNITS,
  NAME_WORDS,
  NUMBERED_ROADS,
  STREET_SUFFIXES,
  SUFFIXES_WITHOUT_NUMBERS,
  UNITS,
} from './street-words.ts';

/** House number and street in a normal form: equal for all spellings of one place. */
export interface Street {
  /** Upper-case, without leading zeros: `1204`, `12 1/2`, `12B`, `100-102`. */
  houseNumber: string;
  /** What the street is called in upper-case, such as `ALDERCREEK LN` or `N 5TH ST`. */
  streetKey: string;
}

/**
 * Reads house number and street of a US address, for the lookup (spec §4.3, rule 5). Direction and
 * suffix may be spelled in any usual way; apartments and other units are left out, and so is
 * everything after the street's line. Undefined when there is no house number (`PO Box 12`, `Elm
 * St`; `0`, which counties write for land without one). It never guesses: two streets that differ
 * in more than spelling have different keys.
 */
export function readStreet(address: string): Street | undefined {
  for (const line of plainText(address).split(/[,;\n]/)) {
    const street = readLine(line.trim());
    if (street) return street;
    // `Apt 4, 100 Main St`: a unit may come first, on its own. Nothing else may.
    if (!/^(?:#|[A-Z]+) ?[\w-]{1,6}$/.test(line.trim()) || !isUnit(line)) return undefined;
  }
  return undefined;
}

function isUnit(line: string): boolean {
  const [first = ''] = line.trim().split(/[ \d]/);
  return first.startsWith('#') || UNITS.has(first);
}

/** Upper-case, no accents, no dots and apostrophes, single spaces. */
function plainText(address: string): string {
  return address
    .slice(0, 400)
    .replaceAll('½', ' 1/2')
    .replaceAll('¼', ' 1/4')
    .replaceAll('¾', ' 3/4')
    .normalize('NFKD')
    .replaceAll(/[\p{M}.'’]/gu, '')
    .toUpperCase()
    .replaceAll(/[^\S\n]+/g, ' ');
}

const HOUSE =
  /^(?<number>[NSEW]?\d[\dNSEW]*?-?[A-Z]?|\d+[A-Z]?-\d+[A-Z]?)(?:[ -](?<fraction>[1-9]\/[1-9]\d?))? (?<rest>.+)$/;

function readLine(line: string): Street | undefined {
  const { number, fraction, rest } = HOUSE.exec(line)?.groups ?? {};
  if (!number || !rest) return undefined;
  const plain = number.replace(/^0+(?=\d)/, '').replace(/-(?=[A-Z]$)/, '');
  if (plain === '0') return undefined;
  const streetKey = keyOf(rest);
  if (!streetKey) return undefined;
  return { houseNumber: fraction ? `${plain} ${fraction}` : plain, streetKey };
}

function keyOf(text: string): string | undefined {
  const words = withoutUnits(text.replaceAll('#', ' # ').replaceAll('-', ' ').split(' '));
  if (words.length === 0) return undefined;
  const before = takeDirection(words, 'first');
  const after = takeDirection(words, 'last');
  return [before, nameOf(words), after].filter(Boolean).join(' ');
}

/** The words up to where a unit begins. */
function withoutUnits(all: string[]): string[] {
  let words = all.filter(Boolean);
  const unit = words.findIndex((word, i) => beginsUnit(words, word, i));
  if (unit >= 0) words = words.slice(0, unit);
  // `2nd Floor` has its number before it.
  if (
    /^(?:FL|FLOOR)$/.test(words.at(-1) ?? '') &&
    /^\d+(?:ST|ND|RD|TH)$/.test(words.at(-2) ?? '')
  ) {
    words = words.slice(0, -2);
  }
  while (words.length > 2 && LONE_UNITS.has(words.at(-1) ?? '')) words = words.slice(0, -1);
  const suffix = STREET_SUFFIXES.get(words.at(-2) ?? '');
  const last = words.at(-1) ?? '';
  const isLoneNumber = suffix !== undefined && SUFFIXES_WITHOUT_NUMBERS.has(suffix);
  if (words.length > 2 && isLoneNumber && /^\d+[A-Z]?$/.test(last)) return words.slice(0, -1);
  return words;
}

function beginsUnit(words: string[], word: string, i: number): boolean {
  if (word === '#') return true;
  // What a unit is called has a digit, or is a letter or two: `Space Center Blvd` is a street. And
  // the first word is part of the street in any case.
  if (i === 0 || !UNITS.has(word)) return false;
  return /^(?:#|[A-Z]{0,2}\d+[A-Z]{0,2}|[A-Z]{1,2})$/.test(words[i + 1] ?? '');
}

/** Takes a direction away from one end, unless it is all that the street is called. */
function takeDirection(words: string[], end: 'first' | 'last'): string | undefined {
  const first = end === 'first';
  const direction = DIRECTIONS.get((first ? words[0] : words.at(-1)) ?? '');
  const rest = first ? words.slice(1) : words.slice(0, -1);
  if (!direction || rest.length === 0) return undefined;
  // `North St` is called North; `Avenue N` is one of the lettered avenues.
  if (rest.length === 1 && STREET_SUFFIXES.has(rest[0] ?? '')) return undefined;
  words.splice(0, words.length, ...rest);
  return direction;
}

/** The name without spaces, so that `Lake Shore` is `Lakeshore`, and the suffix beside it. */
function nameOf(words: string[]): string {
  const text = words.join(' ');
  for (const [spelling, name] of NUMBERED_ROADS) {
    const match = spelling.exec(text);
    if (match) return (match[0].replace(spelling, name) + text.slice(match[0].length)).trim();
  }
  const at = suffixAt(words);
  if (at === undefined) return spell(words);
  const suffix = STREET_SUFFIXES.get(words[at] ?? '') ?? '';
  const parts = [spell(words.slice(0, at)), suffix, ...words.slice(at + 1)];
  return parts.filter(Boolean).join(' ');
}

/** The last word, or the one before a number or letter at the end (`Avenue K`, `State Loop 12`). */
function suffixAt(words: string[]): number | undefined {
  const last = words.length - 1;
  if (last > 0 && STREET_SUFFIXES.has(words[last] ?? '')) return last;
  const isIdentifier = /^(?:\d+[A-Z]?|[A-Z])$/.test(words[last] ?? '');
  if (last > 0 && isIdentifier && STREET_SUFFIXES.has(words[last - 1] ?? '')) return last - 1;
  return undefined;
}

function spell(words: string[]): string {
  return words.map((word) => NAME_WORDS.get(word) ?? word).join('');
}
