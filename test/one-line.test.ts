import { describe, expect, test } from 'vitest';
import { endpointDescription } from '../src/endpoints/endpoint.ts';
import { parseSourceName } from '../src/lists/source-name.ts';
import { isOneLine } from '../src/one-line.ts';

describe('one line of text', () => {
  test.each(['', 'Ada Fields', 'Cañon "4" – 東京 אבג', '12½ Elm St'])('%j is', (text) => {
    expect(isOneLine(text)).toBe(true);
  });

  test.each(['\n', '\u0000', '\u0085', '\u2028', '\u2029', '\u202E', '\u2066', '\u200F', '\uD800'])(
    '%j is not, wherever a name is given',
    (character) => {
      const text = `a${character}b`;
      expect(isOneLine(text)).toBe(false);
      expect(() => parseSourceName(text)).toThrow('name: must be one line of text.');
      expect(endpointDescription.safeParse(text).success).toBe(false);
    },
  );
});
