import { expect, test } from 'vitest';
import {
  costPerDay,
  endpointTotals,
  errorTotals,
  lasting,
  periodsOf,
  type Row,
} from '../../src/console/pages/overview/statistics.ts';

const day = 86_400_000;
const row = (more: Partial<Row>): Row => ({
  period: '2026-11-02T00:00:00.000Z',
  endpoint: 'user/info',
  calls: 2,
  charged: '0.002',
  platform_cost: '0.01',
  errors: {},
  duration_ms: { p50: 10, p95: 20, p99: 30 },
  ...more,
});

test('periods without calls are part of a chart', () => {
  const periods = periodsOf({
    from: '2026-11-01T05:00:00.000Z',
    to: '2026-11-03T09:00:00.000Z',
    granularity: 'day',
    total: { calls: 3, charged: '0.003', platform_cost: '0.01' },
    usage: [row({ errors: { not_found: 4 } }), row({ endpoint: 'tweet/create', calls: 1, charged: '0.001' })],
  });
  expect(periods.map(({ calls, failed }) => [calls, failed])).toEqual([
    [0, 0],
    [3, 4],
    [0, 0],
  ]);
  expect(periods[1]?.charged).toBeCloseTo(0.003);
});

test('an endpoint has the sums of its periods, and the percentiles of the slowest', () => {
  const [first, second] = endpointTotals([
    row({ endpoint: 'me', calls: 1 }),
    row({ errors: { not_found: 1, rate_limited: 2 } }),
    row({ calls: 5, duration_ms: { p50: 5, p95: 50, p99: 60 } }),
    row({ calls: 0, charged: '0', duration_ms: null }),
  ]);
  expect(first).toMatchObject({ endpoint: 'user/info', calls: 7, failed: 3, slowest: { p50: 10, p95: 50, p99: 60 } });
  expect(second?.endpoint).toBe('me');
});

test('errors are summed by code, the most frequent first', () => {
  const rows = [row({ errors: { not_found: 1, rate_limited: 2 } }), row({ endpoint: 'me', errors: { not_found: 5 } })];
  expect(errorTotals(rows)).toEqual([
    { code: 'not_found', count: 6, endpoints: ['me', 'user/info'] },
    { code: 'rate_limited', count: 2, endpoints: ['user/info'] },
  ]);
});

test('the cost of a day is the mean since the first day with calls, for at most seven days', () => {
  const days = (charged: number[]) =>
    charged.map((amount, at) => ({ time: at * day, charged: amount, calls: 1, failed: 0 }));
  expect(costPerDay(days([0, 0, 0]), 2.5 * day)).toBe(0);
  expect(costPerDay(days([0, 4, 2]), 3 * day)).toBe(3);
  expect(costPerDay(days([100, 7, 7, 7, 7, 7, 7, 7]), 8 * day)).toBe(7);
});

test.each([
  [0, 1, 'used up'],
  [1, 24, 'under 2 hours'],
  [10, 6, '40 hours'],
  [10, 1, '10 days'],
  [100, 1, '3 months'],
  [1_000, 1, '2 years'],
  [100_000, 1, 'over 10 years'],
])('%d dollars at %d a day last: %s', (credit, perDay, text) => {
  expect(lasting(credit, perDay)).toBe(text);
});
