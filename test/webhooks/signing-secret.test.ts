import { describe, expect, it } from 'vitest';
import { generateSigningSecret } from '../../src/webhooks/signing-secret.ts';

describe('a generated signing secret', () => {
  it('is the prefix and base62 characters for at least 256 bits', () => {
    const [, random = ''] = /^whsec_([0-9A-Za-z]+)$/.exec(generateSigningSecret()) ?? [];
    expect(random.length * Math.log2(62)).toBeGreaterThanOrEqual(256);
  });

  it('never repeats and uses the whole alphabet evenly', () => {
    const secrets = Array.from({ length: 2_000 }, generateSigningSecret);
    expect(new Set(secrets).size).toBe(secrets.length);

    const counts = new Map<string, number>();
    for (const character of secrets.map((s) => s.slice(6)).join('')) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    const expected = (2_000 * 43) / 62;
    expect(counts.size).toBe(62);
    for (const count of counts.values()) {
      expect(Math.abs(count - expected)).toBeLessThan(8 * Math.sqrt(expected));
    }
  });
});
