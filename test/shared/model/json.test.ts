import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonLimitError, parseUntrustedJson } from '../../../src/shared/model/json.ts';

describe('JSON from callers', () => {
  test('is read as JSON.parse reads it', () => {
    const json = fc.json({ maxDepth: 10, stringUnit: fc.constantFrom('"', '\\', 'a', ':', '[', 'é', '\n') });
    fc.assert(
      fc.property(json, (text) => {
        expect(parseUntrustedJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('may hold quotes far apart and in a row', () => {
    const value = [
      '"'.repeat(100),
      `${'a'.repeat(200)}"`,
      '\\'.repeat(65),
      `\\"${'b'.repeat(63)}"`,
      '[{,'.repeat(9_000),
    ];
    expect(parseUntrustedJson(JSON.stringify([value, value]))).toEqual([value, value]);
  });

  test.each([
    ['a long number', `[${'1'.repeat(2_000_000)}]`],
    ['many spaces', `[${' '.repeat(2_000_000)}]`],
    ['millions of escapes', JSON.stringify('"'.repeat(1_000_001))],
    ['a long name', `{"${'a'.repeat(100_000)}" : 1}`],
  ])('is refused for %s', (_what, text) => {
    expect(() => parseUntrustedJson(text)).toThrow(JsonLimitError);
  });
});
