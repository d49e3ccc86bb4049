import { randomInt } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random digits of base62: 5.95 bits in each. */
export function randomBase62(length: number): string {
  let text = '';
  // randomInt draws without modulo bias.
  for (let i = 0; i < length; i += 1) text += DIGITS.charAt(randomInt(DIGITS.length));
  return text;
}

/** The last `length` digits of a whole number in base62, with zeros in front. */
export function toBase62(value: number, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i += 1) {
    text = DIGITS.charAt(rest % DIGITS.length) + text;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}
