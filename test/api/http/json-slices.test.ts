import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson } from '../../../src/api/http/json-slices.ts';

const text = async (value: unknown) => (await toJson(value, Number.MAX_SAFE_INTEGER))?.toString();

const repeated = fc.tuple(fc.jsonValue(), fc.integer({ min: 0, max: 6_000 })).map(([value, times]) => ({
  items: Array.from({ length: times }, () => value),
  left: undefined,
  text: 'ä€😀"\n'.repeat(times),
}));

describe('JSON in slices', () => {
  test('equals the output of JSON.stringify', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), repeated), async (value) => {
        expect(await text(value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    [[]],
    [{}],
    [{ a: undefined }],
    [[undefined, null]],
    ['x'.repeat(100_000)],
    [{ big: 'x'.repeat(100_000), a: [{}] }],
  ])('of the edges, case %#', async (value) => {
    expect(await text(value)).toBe(JSON.stringify(value));
  });

  test('counts bytes, not characters', async () => {
    for (const value of [{ a: '€' }, Array.from({ length: 50_000 }, () => '€')]) {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      expect(Buffer.byteLength((await toJson(value, bytes)) ?? '')).toBe(bytes);
      expect(await toJson(value, bytes - 1)).toBeNull();
    }
  });

  test('lets others have their turn while it writes much', async () => {
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    await text(Array.from({ length: 300_000 }, (_, i) => ({ id: String(i), name: 'somebody' })));
    clearInterval(counting);
    expect(turns).toBeGreaterThan(3);
  });
});
