import { HYPHENATED_UNIT, withoutNumberSign, withoutUnits } from './street-units.ts';
import {
  DIRECTIONS,
  NAME_WORDS,
  NUMBERED_ROADS,
  STREET_SUFFIXES,
  TENS,
  TENS_DIGITS,
  UNITS,
} from './street-words.ts';

/*
 * Why no library: what was tried loses what tells places apart. @sroussey/parse-address, for one,
 * reads the street of `100 CR 305` as `CR`, and drops the fraction of `12 1/2 Main St`; a key made of
 * that would name one parcel for another.
 */

/** House number and street in a normal form: equal for all spellings of one place. */
export interface Street {
  /** Upper-case, without leading zeros: `1204`, `12 1/2`, `12B`, `100-102`. */
  houseNumber: string;
  /** What the street is called in upper-case, such as `ALDERCREEK LN` or `N 5TH ST`. */
  streetKey: string;
}

/** A street, and what follows its line in the address, piece by piece as it is written. */
export interface AddressLines {
  street: Street;
  after: string[];
}

/**
 * Reads house number and street of a US address, for the lookup (spec §4.3, rule 5). Direction and
 * suffix may be spelled in any usual way; apartments and other units are left out, and so is
 * everything after the street's line. Undefined when there is no house number (`PO Box 12`, `Elm
 * St`; `0`, which counties write for land without one). It never guesses: two streets that differ
 * in more than spelling have different keys, and what it does not understand stays in the key.
 */
export function readStreet(address: string): Street | undefined {
  return readAddressLines(address)?.street;
}

/** As readStreet, with the lines that follow the street's; those that only name a unit are left out. */
export function readAddressLines(address: string): AddressLines | undefined {
  const lines = address.slice(0, 400).split(/[,;\n]/);
  for (const [i, line] of lines.entries()) {
    const text = plainText(line);
    const street = readLine(text);
    if (street) {
      const after = lines.slice(i + 1).filter((next) => !isUnitLine(plainText(next)));
      return { street, after: after.map((next) => next.trim()).filter(Boolean) };
    }
    // `Apt 4, 100 Main St`: a unit may come first, on its own. Nothing else may.
    if (!/^(?:#|[A-Z]+) ?[\w-]{1,6}$/.test(text) || !isUnitLine(text)) return undefined;
  }
  return undefined;
}

function isUnitLine(text: string): boolean {
  const words = text.replaceAll(HYPHENATED_UNIT, '$1$2').replaceAll('#', ' # ').split(' ');
  const given = words.filter(Boolean);
  return given.length > 0 && withoutUnits(given, 0).length === 0;
}

/** Upper-case, no accents, no dots and apostrophes, single spaces. */
function plainText(line: string): string {
  return line
    .replaceAll('½', ' 1/2')
    .replaceAll('¼', ' 1/4')
    .replaceAll('¾', ' 3/4')
    .normalize('NFKD')
    .replaceAll(/[\p{M}.'’]/gu, '')
    .toUpperCase()
    .replaceAll(/\s+/g, ' ')
    .trim();
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
  // `Apt 4-B` is one unit, `Alder-Creek` two words.
  const joined = text.replaceAll(HYPHENATED_UNIT, '$1$2');
  const all = joined.replaceAll('#', ' # ').replaceAll('-', ' ').split(' ').filter(Boolean);
  if (all[0] === '#') return undefined;
  const words = withoutNumberSign(all);
  const numbered = readNumberedRoad(words);
  if (numbered) return numbered;
  const street = withoutUnits(words);
  // `100 Apt # 4` names no street.
  const [first = ''] = street;
  if (street.length === 0 || (street.length === 1 && words.length > 1 && UNITS.has(first))) {
    return undefined;
  }
  const before = takeDirection(street, 'first');
  const after = takeDirection(street, 'last');
  return [before, nameOf(street), after].filter(Boolean).join(' ');
}

/**
 * A road whose number is its name, with the direction before it. Read before units are looked for,
 * since `RM` is a ranch road here and a room elsewhere.
 */
function readNumberedRoad(words: readonly string[]): string | undefined {
  const direction = words.length > 1 ? DIRECTIONS.get(words[0] ?? '') : undefined;
  const text = (direction ? words.slice(1) : words).join(' ');
  for (const [spelling, name] of NUMBERED_ROADS) {
    const match = spelling.exec(text);
    if (!match) continue;
    const rest = text.slice(match[0].length).split(' ').filter(Boolean);
    const after = withoutUnits(rest, 0).map(
      (word) => DIRECTIONS.get(word) ?? STREET_SUFFIXES.get(word) ?? word,
    );
    return [direction, match[0].replace(spelling, name), ...after].filter(Boolean).join(' ');
  }
  return undefined;
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

function spell(words: readonly string[]): string {
  const [first = '', second] = words;
  // `Avenue of the Americas`: what it is comes first.
  const what = second === 'OF' ? STREET_SUFFIXES.get(first) : undefined;
  const named = words.map((word, i) => (i === 0 && what) || (NAME_WORDS.get(word) ?? word));
  return named.join('').replace(TENS, (_, tens: string) => TENS_DIGITS.get(tens) ?? tens);
}
