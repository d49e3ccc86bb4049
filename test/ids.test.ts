import { expect, test } from 'vitest';
import { idFloor, newId } from '../src/ids.ts';

const DAY_MS = 86_400_000;

test('a floor is above the ids made before its time, and below those made from then on', () => {
  const id = newId('delivery');
  const madeAt = parseInt(id.slice(4, 16), 16);
  expect(Math.abs(madeAt - Date.now())).toBeLessThan(DAY_MS);
  expect(idFloor('delivery', new Date(madeAt)) < id).toBe(true);
  expect(idFloor('delivery', new Date(madeAt - DAY_MS)) < id).toBe(true);
  expect(idFloor('delivery', new Date(madeAt + 1)) > id).toBe(true);
});

test('a floor has the form of an id', () => {
  expect(idFloor('event', new Date(0))).toBe(`evt_${'0'.repeat(32)}`);
  expect(idFloor('mail', new Date(0xabc))).toBe(`mail_000000000abc${'0'.repeat(20)}`);
});
