import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  apiKeyEntropyBytes,
  apiKeyPrefix,
  hashApiKey,
  looksLikeApiKey,
  makeApiKey,
} from '../../src/billing/api-key.ts';

const entropy = fc.uint8Array({ minLength: apiKeyEntropyBytes, maxLength: apiKeyEntropyBytes });
const key = entropy.map((bytes) => makeApiKey(bytes).expose());
const keyLength = 43;

describe('an API key', () => {
  test('has the form that scanners look for, and passes its own check', () => {
    fc.assert(
      fc.property(entropy, (bytes) => {
        const made = makeApiKey(bytes);
        expect(made.expose()).toMatch(/^pstn_[0-9A-Za-z]{38}$/);
        expect(looksLikeApiKey(made.expose())).toBe(true);
        expect(makeApiKey(bytes).expose()).toBe(made.expose());
        expect(hashApiKey(made)).toMatch(/^[0-9a-f]{64}$/);
        expect(apiKeyPrefix(made)).toHaveLength(11);
        expect(String(made)).toBe('[secret]');
      }),
    );
  });

  test('with any one character changed is refused without a look-up', () => {
    fc.assert(
      fc.property(
        key,
        fc.nat(keyLength - 1),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
        (text, at, other) => {
          fc.pre(text[at] !== other);
          expect(looksLikeApiKey(text.slice(0, at) + other + text.slice(at + 1))).toBe(false);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('with two characters swapped is refused without a look-up', () => {
    fc.assert(
      fc.property(key, fc.nat(keyLength - 1), fc.nat(keyLength - 1), (text, a, b) => {
        fc.pre(text[a] !== text[b]);
        const characters = [...text];
        [characters[a], characters[b]] = [characters[b] ?? '', characters[a] ?? ''];
        expect(looksLikeApiKey(characters.join(''))).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  test('cut, lengthened or with something around it is refused without a look-up', () => {
    fc.assert(
      fc.property(key, fc.nat(keyLength - 1), (text, length) => {
        expect(looksLikeApiKey(text.slice(0, length))).toBe(false);
      }),
    );
    const [text = ''] = fc.sample(key, 1);
    for (const odd of [`${text}0`, ` ${text}`, `${text}\n`, `${text}\0`, text.toUpperCase(), `x${text}`, '']) {
      expect(looksLikeApiKey(odd)).toBe(false);
    }
  });

  test('differs when the chance differs, and needs enough of it', () => {
    const keys = fc.sample(key, 500);
    expect(new Set(keys).size).toBe(500);
    expect(() => makeApiKey(new Uint8Array(apiKeyEntropyBytes - 1))).toThrow(RangeError);
  });
});
