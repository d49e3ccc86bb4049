import { randomBase62 } from '../base62.ts';

/** How every signing secret begins, so that people and scanners recognise one. */
export const SIGNING_SECRET_PREFIX = 'whsec_';

/** 43 characters of 62 carry 256.03 bits. */
const LENGTH = 43;

/** Makes a new signing secret: `whsec_` and at least 256 random bits in base62. */
export function generateSigningSecret(): string {
  return SIGNING_SECRET_PREFIX + randomBase62(LENGTH);
}
