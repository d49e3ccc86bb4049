import { uuidv7obj } from 'uuidv7';

/** The prefix of each kind of id; the rest is a UUIDv7, so that ids of one kind sort by age. */
export const ID_PREFIXES = {
  account: 'acct',
  deal: 'deal',
  delivery: 'dlv',
  endpoint: 'ep',
  event: 'evt',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Makes a new id such as `evt_019aa1…`: the prefix and 32 hexadecimal digits. */
export function newId(kind: IdKind): string {
  return `${ID_PREFIXES[kind]}_${uuidv7obj().toHex()}`;
}
