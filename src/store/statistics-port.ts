/** The outcomes of the calls of one action within one hour. */
export interface CallStatistics {
  account: string;
  /** The hour in hours since the Unix epoch. */
  hour: number;
  /** The name of the action, such as `tweet/create`. */
  action: string;
  /** The number of failed calls by error code. */
  errors: Record<string, number>;
  /** The number of successful calls in each bucket of durations (`billing/duration-histogram.ts`). */
  durations: Record<number, number>;
}

/** Stores the outcomes of calls apart from the ledger, because money never depends on them. They are deleted after `statisticsTtlMs`. */
export interface CallStatisticsStore {
  /** Adds these numbers to those of the same account, hour and action in one transaction. */
  add(statistics: readonly CallStatistics[]): Promise<void>;
  /** Returns the statistics with `fromHour <= hour < toHour`, ordered by hour, then by action. */
  list(account: string, fromHour: number, toHour: number): Promise<CallStatistics[]>;
}

/** The time in milliseconds for which statistics are stored after their hour: 400 days. */
export const statisticsTtlMs = 400 * 86_400_000;
