import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDollars, maxMicros, parseDollars } from '../../../src/shared/model/money.ts';
import { dollars } from '../../../src/shared/model/scalars.ts';

const amount = fc.oneof(
  fc.integer({ min: 0, max: maxMicros }),
  fc.integer({ min: 0, max: 2_000_000 }),
  fc.constantFrom(0, 1, 999_999, 1_000_000, 1_000_001, maxMicros),
);

describe('money', () => {
  test('is read as it was printed, to the last millionth', () => {
    fc.assert(
      fc.property(amount, (micros) => {
        const text = formatDollars(micros);
        expect(parseDollars(text)).toBe(micros);
        expect(text).toMatch(/^\d+(\.\d{0,5}[1-9])?$/);
        expect(dollars.safeParse(text).success).toBe(true);
        expect(formatDollars(-micros)).toBe(micros === 0 ? '0' : `-${text}`);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    [0, '0'],
    [1, '0.000001'],
    [1_000, '0.001'],
    [40_000, '0.04'],
    [100_000, '0.1'],
    [9_999_000, '9.999'],
    [10_000_000, '10'],
    [300_000, '0.3'],
    [-1_500_000, '-1.5'],
    [maxMicros, '1000000000'],
  ])('%i millionths are %s dollars', (micros, text) => {
    expect(formatDollars(micros)).toBe(text);
  });

  test('is read with zeros at its ends', () => {
    expect(parseDollars('0005')).toBe(5_000_000);
    expect(parseDollars('5.000000')).toBe(5_000_000);
    expect(parseDollars('0.10')).toBe(100_000);
  });

  const odd = ['', ' ', '5 ', ' 5', '5\n', '-1', '+1', '.5', '5.', '1.2.3', '1,5', '1_000', '٥', '$5', '5 USD'];
  const notDecimal = ['1e3', '0x10', 'NaN', 'Infinity'];
  const outOfRange = ['1.0000001', '1000000000.000001', '99999999999'];
  test.each([...odd, ...notDecimal, ...outOfRange])('%j is no amount', (text) => {
    expect(parseDollars(text)).toBeNull();
  });

  test('that is not whole millionths is never printed', () => {
    for (const odd of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => formatDollars(odd)).toThrow(RangeError);
    }
  });
});
