import { readAddressLines, type Street } from './street-key.ts';
import { STATE_CODE_OF_NAME, STATE_CODES } from './us-states.ts';

/** A place by its postal address: what the address does not say is not there. */
export interface Place {
  street: Street;
  city?: string;
  /** Two letters. */
  state?: string;
  /** As it is written: five digits, or nine with a hyphen. */
  zip?: string;
}

/**
 * Reads a US address with what follows its street, `, City, ST 75010`, each part of which may be left
 * out. Undefined when there is no street with a house number (readStreet). What stands last and is
 * neither ZIP code nor state nor country is the city.
 */
export function readPlace(address: string): Place | undefined {
  const lines = readAddressLines(address);
  if (!lines) return undefined;
  const parts = [...lines.after];
  take(parts, /^(?:USA?|U\.S\.(?:A\.)?|UNITED STATES(?: OF AMERICA)?)$/i);
  const zip = take(parts, /(?:^|\s)(\d{5}(?:-\d{4})?)$/);
  const state = takeState(parts);
  const city = parts.at(-1);
  return {
    street: lines.street,
    ...(city !== undefined && { city }),
    ...(state !== undefined && { state }),
    ...(zip !== undefined && { zip }),
  };
}

/** Takes the end of the last part away when it matches, and answers it. */
function take(parts: string[], end: RegExp): string | undefined {
  const last = parts.at(-1) ?? '';
  const match = end.exec(last);
  if (!match) return undefined;
  const rest = last.slice(0, match.index).trim();
  parts.splice(-1, 1, ...(rest === '' ? [] : [rest]));
  return match[1] ?? match[0];
}

/** `TX`, also after the city; a whole name stands by itself, after the city. */
function takeState(parts: string[]): string | undefined {
  const last = (parts.at(-1) ?? '').toUpperCase().replaceAll(/\s+/g, ' ');
  const named = parts.length > 1 ? STATE_CODE_OF_NAME.get(last) : undefined;
  if (named !== undefined) {
    parts.pop();
    return named;
  }
  const code = /(?:^|\s)([A-Z]{2})\.?$/.exec(last)?.[1] ?? '';
  return STATE_CODES.has(code) ? take(parts, /(?:^|\s)([a-z]{2})\.?$/i)?.toUpperCase() : undefined;
}
