import type { AccountUsage } from '../../../shared/model/account.ts';

export type Row = AccountUsage['usage'][number];
type Durations = Row['duration_ms'];

const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The calls of one period, over all endpoints. */
export interface Period {
  time: number;
  charged: number;
  calls: number;
  failed: number;
}

/** Returns one item for each hour or day of the report, including those without calls. */
export function periodsOf({ from, to, granularity, usage }: AccountUsage): Period[] {
  const length = granularity === 'hour' ? hourMs : dayMs;
  const periods = new Map<number, Period>();
  for (let time = Math.floor(Date.parse(from) / length) * length; time < Date.parse(to); time += length) {
    periods.set(time, { time, charged: 0, calls: 0, failed: 0 });
  }
  for (const row of usage) {
    const period = periods.get(Date.parse(row.period));
    if (!period) continue;
    period.charged += Number(row.charged);
    period.calls += row.calls;
    period.failed += failuresOf(row);
  }
  return [...periods.values()];
}

export interface EndpointTotals {
  endpoint: string;
  calls: number;
  charged: number;
  platformCost: number;
  failed: number;
  /** The slowest period of each percentile in milliseconds; `null` if no duration is known. */
  slowest: Durations;
}

/** Returns the totals of each endpoint, those with the most calls first. */
export function endpointTotals(rows: readonly Row[]): EndpointTotals[] {
  const totals = new Map<string, EndpointTotals>();
  for (const row of rows) {
    const { endpoint } = row;
    const sum = totals.get(endpoint) ?? { endpoint, calls: 0, charged: 0, platformCost: 0, failed: 0, slowest: null };
    totals.set(endpoint, {
      endpoint,
      calls: sum.calls + row.calls,
      charged: sum.charged + Number(row.charged),
      platformCost: sum.platformCost + Number(row.platform_cost),
      failed: sum.failed + failuresOf(row),
      slowest: slower(sum.slowest, row.duration_ms),
    });
  }
  return [...totals.values()].sort((a, b) => b.calls + b.failed - (a.calls + a.failed));
}

export interface ErrorTotals {
  code: string;
  count: number;
  endpoints: string[];
}

/** Returns the totals of each error code, the most frequent first. */
export function errorTotals(rows: readonly Row[]): ErrorTotals[] {
  const totals = new Map<string, { count: number; endpoints: Set<string> }>();
  for (const { endpoint, errors } of rows) {
    for (const [code, count] of Object.entries(errors)) {
      const sum = totals.get(code) ?? { count: 0, endpoints: new Set() };
      sum.count += count;
      sum.endpoints.add(endpoint);
      totals.set(code, sum);
    }
  }
  return [...totals]
    .map(([code, { count, endpoints }]) => ({ code, count, endpoints: [...endpoints].sort() }))
    .sort((a, b) => b.count - a.count);
}

/** Returns the mean cost per day over the last seven days. Days before the first paid call are left out. */
export function costPerDay(days: readonly Period[], now: number): number {
  const lastWeek = days.slice(-7);
  const first = lastWeek.findIndex(({ charged }) => charged > 0);
  const used = first < 0 ? [] : lastWeek.slice(first);
  if (used.length === 0) return 0;
  const elapsedMs = Math.max(now - (used[0]?.time ?? now), hourMs);
  return used.reduce((sum, { charged }) => sum + charged, 0) / (elapsedMs / dayMs);
}

/** Says how long an amount lasts at a daily cost. */
export function lasting(credit: number, perDay: number): string {
  if (credit <= 0) return 'used up';
  const days = credit / perDay;
  if (days < 1 / 12) return 'under 2 hours';
  if (days < 3) return `${Math.floor(days * 24)} hours`;
  if (days < 60) return `${Math.floor(days)} days`;
  if (days < 730) return `${Math.floor(days / 30.4)} months`;
  return days < 3_650 ? `${Math.floor(days / 365)} years` : 'over 10 years';
}

function failuresOf({ errors }: Row): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0);
}

function slower(a: Durations, b: Durations): Durations {
  if (!a || !b) return a ?? b;
  return { p50: Math.max(a.p50, b.p50), p95: Math.max(a.p95, b.p95), p99: Math.max(a.p99, b.p99) };
}
