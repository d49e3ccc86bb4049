import { expect, test } from 'vitest';
import { SeenKeys } from '../../src/parcels/seen-keys.ts';

test('knows each of 300,000 similar keys by its first line, and no other', () => {
  const seen = new SeenKeys();
  const key = (i: number) => `maple:${String(Math.floor(i / 100)).padStart(4, '0')}-${i % 100}`;
  for (let i = 0; i < 300_000; i += 1) expect(seen.add(key(i), i + 1) === undefined).toBe(true);
  for (let i = 0; i < 300_000; i += 997) expect(seen.add(key(i), 999_999)).toBe(i + 1);
  expect(seen.add('maple:new', 7)).toBeUndefined();
  expect(seen.add('maple:new', 8)).toBe(7);
});
