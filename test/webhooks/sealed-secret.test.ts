import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openSecret, sealSecret, SealedSecretError } from '../../src/webhooks/sealed-secret.ts';

const KEY = randomBytes(32);
const SECRET = 'whsec_canary';

describe('a sealed secret', () => {
  const sealed = sealSecret(SECRET, 'ep_a', KEY);

  it('opens with its key and endpoint', () => {
    expect(openSecret(sealed, 'ep_a', KEY)).toBe(SECRET);
    expect(openSecret(new Uint8Array(sealed), 'ep_a', KEY)).toBe(SECRET);
  });

  it('does not show the secret and differs each time', () => {
    expect(sealed.includes(SECRET)).toBe(false);
    expect(sealSecret(SECRET, 'ep_a', KEY).equals(sealed)).toBe(false);
  });

  it('does not open when moved to another endpoint', () => {
    expect(() => openSecret(sealed, 'ep_b', KEY)).toThrow(SealedSecretError);
  });

  it('does not open with another key', () => {
    expect(() => openSecret(sealed, 'ep_a', randomBytes(32))).toThrow(SealedSecretError);
  });

  it('does not open when any single byte is changed', () => {
    for (let i = 0; i < sealed.length; i += 1) {
      const damaged = Buffer.from(sealed);
      damaged[i] = (damaged[i] ?? 0) ^ 1;
      expect(() => openSecret(damaged, 'ep_a', KEY), `byte ${i}`).toThrow(SealedSecretError);
    }
  });

  it('does not open when cut short', () => {
    for (const length of [0, 1, 12, 28, sealed.length - 1]) {
      expect(() => openSecret(sealed.subarray(0, length), 'ep_a', KEY)).toThrow(SealedSecretError);
    }
  });

  it('needs a key of 32 bytes', () => {
    expect(() => sealSecret(SECRET, 'ep_a', randomBytes(16))).toThrow(RangeError);
    expect(() => openSecret(sealed, 'ep_a', randomBytes(31))).toThrow(RangeError);
  });
});
