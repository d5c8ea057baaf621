import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeUntrustedJson,
  JsonLimitError,
  type JsonLimits,
  parseUntrustedJson,
  requestLimits,
} from '../../../src/shared/json/untrusted-json.ts';

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
    ['deep nesting', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['many values', `[${'1,'.repeat(10_001)}1]`],
  ])('is refused for %s', (_what, text) => {
    expect(() => parseUntrustedJson(text)).toThrow(JsonLimitError);
  });
});

/** Counts the values and the depth of a parsed value, as the limits define them. */
function measure(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const inner = Object.values(value).map(measure);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: inner.length + inner.reduce((sum, { values }) => sum + values, 0),
  };
}

const accepts = (bytes: Buffer, limits: JsonLimits) =>
  decodeUntrustedJson(bytes, limits).then(
    () => true,
    (error: unknown) => {
      if (error instanceof JsonLimitError) return false;
      throw error;
    },
  );

describe('decodeUntrustedJson', () => {
  const json = fc.json({ maxDepth: 12, stringUnit: fc.constantFrom('"', '\\', 'a', ',', ':', '[', '}', 'é', '\n') });

  test('refuses exactly what is nested deeper than the limit', async () => {
    await fc.assert(
      fc.asyncProperty(json, fc.nat(10), async (text, depth) => {
        const isAccepted = await accepts(Buffer.from(text), { ...requestLimits, depth });
        expect(isAccepted).toBe(measure(JSON.parse(text)).depth <= depth);
      }),
    );
  });

  test('refuses what has more values than the limit, and counts no value more than twice', async () => {
    await fc.assert(
      fc.asyncProperty(json, fc.nat(30), async (text, limit) => {
        const { values } = measure(JSON.parse(text));
        const isAccepted = await accepts(Buffer.from(text), { ...requestLimits, values: limit });
        if (isAccepted) expect(values).toBeLessThanOrEqual(limit);
        else expect(2 * values + 2).toBeGreaterThan(limit);
      }),
    );
  });

  test('decodes as JSON.parse reads it, also if the text has several slices', async () => {
    for (const unit of ['é', '汉', '😀', '\\"', 'a"', '\n']) {
      for (const shift of ['', 'x', 'xx', 'xxx']) {
        const value = [shift + unit.repeat(200_000), { [unit]: unit }];
        const bytes = Buffer.from(JSON.stringify(value));
        expect(JSON.parse(await decodeUntrustedJson(bytes, requestLimits))).toEqual(value);
      }
    }
  });

  test('removes a byte order mark and replaces bytes that are not UTF-8', async () => {
    expect(await decodeUntrustedJson(Buffer.from('\ufeff{}'), requestLimits)).toBe('{}');
    const bytes = Buffer.alloc(1_000_000, 0x80);
    expect(await decodeUntrustedJson(bytes, requestLimits)).toBe('\ufffd'.repeat(bytes.length));
  });

  test.each<[string, (index: number) => string]>([
    ['short strings', (index) => `"${index}"`],
    ['names', (index) => `{"the name ${index}":0}`],
    ['names with escapes', (index) => `{"\\"\\\\${index}":0}`],
    ['long names', (index) => `{"${'x'.repeat(300)}${index.toString().padStart(7, '0')}\\n":0}`],
  ])('limits the number of different texts: %s', async (_name, partOf) => {
    const text = (count: number) =>
      Buffer.from(`[${Array.from({ length: count }, (_, index) => partOf(index)).join()}]`);
    const limits = { ...requestLimits, values: 1_000_000 };
    expect(await accepts(text(9_900), limits)).toBe(true);
    expect(await accepts(text(12_000), limits)).toBe(false);
  });

  test('accepts the same names and strings very often', async () => {
    const bytes = Buffer.from(`[${'{"name":"value","__proto__":1},'.repeat(50_000)}1]`);
    expect(await accepts(bytes, { ...requestLimits, values: 1_000_000 })).toBe(true);
  });
});
