import { uuidv7obj } from 'uuidv7';

/** The prefix of each kind of id; the rest is a UUIDv7, so that ids of one kind sort by age. */
export const ID_PREFIXES = {
  account: 'acct',
  apiKey: 'key',
  audit: 'aud',
  batch: 'batch',
  campaign: 'cmp',
  deal: 'deal',
  delivery: 'dlv',
  endpoint: 'ep',
  event: 'evt',
  farm: 'farm',
  list: 'list',
  mail: 'mail',
  order: 'ord',
  replay: 'rpl',
  rescore: 'run',
  search: 'srch',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Makes a new id such as `evt_019aa1…`: the prefix and 32 hexadecimal digits. */
export function newId(kind: IdKind): string {
  return `${ID_PREFIXES[kind]}_${uuidv7obj().toHex()}`;
}

/**
 * The lower bound of the ids of a kind that are made at this time or later; every earlier one sorts
 * before it. A UUIDv7 begins with its time, in milliseconds, as twelve hexadecimal digits.
 */
export function idFloor(kind: IdKind, time: Date): string {
  return `${ID_PREFIXES[kind]}_${time.getTime().toString(16).padStart(12, '0')}${'0'.repeat(20)}`;
}
