import { randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** How every signing secret begins, so that people and scanners recognise one. */
export const SIGNING_SECRET_PREFIX = 'whsec_';

/** 43 characters of 62 carry 256.03 bits. */
const LENGTH = 43;

/** Makes a new signing secret: `whsec_` and at least 256 random bits in base62. */
export function generateSigningSecret(): string {
  let text = SIGNING_SECRET_PREFIX;
  // randomInt draws without modulo bias.
  for (let i = 0; i < LENGTH; i += 1) text += ALPHABET.charAt(randomInt(ALPHABET.length));
  return text;
}
