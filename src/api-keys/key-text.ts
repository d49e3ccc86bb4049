import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from '../base62.ts';

/** How every key begins (spec §5.1), so that people and scanners recognise one. */
export const KEY_PREFIX = 'svc_live_';

/** 30 characters of 62 carry 178.6 bits. */
const RANDOM_LENGTH = 30;

/** 62⁶ is more than 2³². */
const CHECKSUM_LENGTH = 6;

const SHAPE = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** How many characters of a key are kept to recognise it by. */
const HINT_LENGTH = 4;

/** Makes a new key: `svc_live_`, 30 random characters of base62, and their checksum in 6. */
export function generateKey(): string {
  const text = KEY_PREFIX + randomBase62(RANDOM_LENGTH);
  return text + checksum(text);
}

/**
 * Whether a text can be a key at all: a mistyped or cut one is refused without asking the database.
 * That says nothing about a key that exists; anybody can make a text that passes.
 */
export function isWellFormed(text: string): boolean {
  return SHAPE.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/**
 * SHA-256 of the whole key: all of it that is stored (spec §5.1). It needs no salt and no slow
 * hash, since 178 random bits cannot be guessed.
 */
export function hashKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The last four characters, by which people tell their keys apart. */
export function keyHint(text: string): string {
  return text.slice(-HINT_LENGTH);
}

/** CRC-32 in base62: any single mistyped character, and any two neighbours swapped, change it. */
function checksum(text: string): string {
  return toBase62(crc32(text), CHECKSUM_LENGTH);
}
