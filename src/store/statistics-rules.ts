import { type CallStatistics, statisticsTtlMs } from './port.ts';

const hourMs = 3_600_000;

/** Returns the first hour whose statistics have not expired at `now`. */
export function firstKeptHour(now: number): number {
  return Math.floor((now - statisticsTtlMs) / hourMs);
}

/** Returns the time at which the statistics of an hour expire. */
export function statisticsExpiry(hour: number): number {
  return (hour + 1) * hourMs + statisticsTtlMs;
}

/** Adds the numbers of `more` to those of `to`, and returns `to`. */
export function addStatistics<To extends Pick<CallStatistics, 'errors' | 'durations'>>(
  to: To,
  more: Pick<CallStatistics, 'errors' | 'durations'>,
): To {
  addCounts(to.errors, more.errors);
  addCounts(to.durations, more.durations);
  return to;
}

function addCounts(to: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) to[name] = (to[name] ?? 0) + count;
}
