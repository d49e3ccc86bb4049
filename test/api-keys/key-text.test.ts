import { crc32 } from 'node:zlib';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateKey, hashKey, isWellFormed, keyHint } from '../../src/api-keys/key-text.ts';
import { seededRandom } from '../support/random.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const random = seededRandom();
const keys = Array.from({ length: 2_000 }, generateKey);

describe('a key', () => {
  it('is the prefix of the specification, 30 random characters and 6 of checksum', () => {
    for (const key of keys) {
      expect(key).toMatch(/^svc_live_[0-9A-Za-z]{36}$/);
      const value = [...key.slice(-6)].reduce((sum, c) => sum * 62 + ALPHABET.indexOf(c), 0);
      expect(value).toBe(crc32(key.slice(0, -6)));
      expect(isWellFormed(key)).toBe(true);
    }
    expect(30 * Math.log2(62)).toBeGreaterThan(178);
  });

  it('never comes twice, and every character comes as often at every place', () => {
    expect(new Set(keys).size).toBe(keys.length);
    const expected = keys.length / ALPHABET.length;
    for (let place = 9; place < 39; place += 1) {
      const counts = new Map<string, number>();
      for (const key of keys) counts.set(key[place]!, (counts.get(key[place]!) ?? 0) + 1);
      const chiSquare = [...ALPHABET].reduce(
        (sum, c) => sum + ((counts.get(c) ?? 0) - expected) ** 2 / expected,
        0,
      );
      // 61 degrees of freedom: exceeded once in a million draws of 30 places at 1.5e-8 each.
      expect(chiSquare).toBeLessThan(135);
    }
  });

  it('is stored as its SHA-256 and recognised by its last four characters', () => {
    const key = generateKey();
    expect(hashKey(key)).toEqual(createHash('sha256').update(key, 'utf8').digest());
    expect(keyHint(key)).toBe(key.slice(-4));
  });
});

describe('what is no key', () => {
  it('is any key with one character mistyped', () => {
    for (const key of keys) {
      const at = random.integer(key.length);
      const other = random.pick([...ALPHABET].filter((c) => c !== key[at]));
      const typo = key.slice(0, at) + other + key.slice(at + 1);
      expect({ typo, fine: isWellFormed(typo) }).toEqual({ typo, fine: false });
    }
  });

  it('is any key with neighbours swapped, a character lost, doubled or of the other case', () => {
    for (const key of keys) {
      const at = 9 + random.integer(35);
      const [a, b] = [key[at]!, key[at + 1]!];
      const other = a === a.toLowerCase() ? a.toUpperCase() : a.toLowerCase();
      for (const typo of [
        key.slice(0, at) + b + a + key.slice(at + 2),
        key.slice(0, at) + key.slice(at + 1),
        key.slice(0, at) + a + key.slice(at),
        key.slice(0, at) + other + b + key.slice(at + 2),
      ]) {
        if (typo !== key) expect(isWellFormed(typo)).toBe(false);
      }
    }
  });

  it('is one with anything around it, or another text altogether', () => {
    const key = generateKey();
    for (const text of [
      ...['', ' ', 'svc_live_', key.slice(9), key.toUpperCase(), key.toLowerCase()],
      ...[` ${key}`, `${key} `, `${key}\n`, `\n${key}`, `${key}\0`, `"${key}"`, key + key],
      ...[key.replace('live', 'test'), key.replace('svc', 'whsec'), `svc_live_${'０'.repeat(36)}`],
      ...['x'.repeat(1_000_000), hashKey(key).toString('hex'), hashKey(key).toString('base64')],
    ]) {
      expect(isWellFormed(text)).toBe(false);
    }
  });

  it('is a random text of the right shape, but for one in four thousand million', () => {
    for (let i = 0; i < 20_000; i += 1) {
      const text = Array.from({ length: 36 }, () => random.pick([...ALPHABET])).join('');
      expect(isWellFormed(`svc_live_${text}`)).toBe(false);
    }
  });
});
