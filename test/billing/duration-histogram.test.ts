import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketOf, percentile } from '../../src/billing/duration-histogram.ts';

function countsOf(durations: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const ms of durations) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
  return counts;
}

test('a percentile differs from the exact one by 9.1 % or 1 ms at most', () => {
  const durations = fc.array(fc.double({ min: 0, max: 1_000_000, noNaN: true }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.95, 0.99), (all, fraction) => {
      const sorted = all.toSorted((a, b) => a - b);
      const exact = sorted[Math.ceil(fraction * all.length) - 1] ?? Number.NaN;
      const found = percentile(countsOf(all), fraction) ?? Number.NaN;
      expect(Math.abs(found - exact)).toBeLessThanOrEqual(Math.max(1, exact * 0.091));
    }),
  );
});

test('percentiles rise with the fraction, and durations beyond the last bucket stay in it', () => {
  const counts = countsOf([3, 5, 8, 20, 90, 10_000_000]);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((fraction) => percentile(counts, fraction) ?? 0);
  expect([p50, p95, p99]).toEqual([p50, p95, p99].toSorted((a = 0, b = 0) => a - b));
  expect(p99).toBeLessThanOrEqual(2 ** 20);
});

test('there are no percentiles of no durations', () => {
  expect(percentile({}, 0.5)).toBeNull();
});
