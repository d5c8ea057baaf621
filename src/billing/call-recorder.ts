import type { ErrorCode } from '../shared/errors/table.ts';
import type { CallStatistics, CallStatisticsStore } from '../store/port.ts';
import { addStatistics } from '../store/statistics-rules.ts';
import { bucketOf } from './duration-histogram.ts';

/** The maximum number of rows in memory, each with one account, action and hour. A row takes about 1 KiB. */
const maxRows = 2_000;
const hourMs = 3_600_000;

export interface CallRecorderOptions {
  store: CallStatisticsStore;
  /** Returns the time of the store's clock. */
  storeNow: () => number;
  /** Called after a failed write. */
  onError?: (error: unknown) => void;
}

/**
 * Counts the errors and durations of calls in memory, and writes them to the store in batches, apart from the charges. If the process is
 * killed, one batch is lost. If a write fails, its numbers are part of the next batch, and they are counted twice if the store had received
 * them. While `maxRows` rows wait for a failing store, no further row is begun.
 */
export class CallRecorder {
  readonly #options: CallRecorderOptions;
  /** The rows that are not written yet. */
  #rows: CallStatistics[] = [];
  /** The latest row of each account and action. One map with joined keys would make every call three times as expensive. */
  #latest = new Map<string, Map<string, CallStatistics>>();
  #writing: Promise<void> = Promise.resolve();

  constructor(options: CallRecorderOptions) {
    this.#options = options;
  }

  /** Counts a successful call that is charged, with its duration in milliseconds. */
  succeeded(account: string, action: string, ms: number): void {
    const row = this.#row(account, action);
    if (!row) return;
    const bucket = bucketOf(ms);
    row.durations[bucket] = (row.durations[bucket] ?? 0) + 1;
  }

  /** Counts a failed call. `action` is `graphql` for a GraphQL request that was refused as a whole. */
  failed(account: string, action: string, code: ErrorCode): void {
    const row = this.#row(account, action);
    if (row) row.errors[code] = (row.errors[code] ?? 0) + 1;
  }

  /** Writes everything that was counted so far. Never throws. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (this.#rows.length === 0) return;
    const rows = this.#rows;
    this.#rows = [];
    this.#latest = new Map();
    try {
      await this.#options.store.add(rows);
    } catch (error) {
      this.#options.onError?.(error);
      for (const row of rows) this.#putBack(row);
    }
  }

  #putBack(row: CallStatistics): void {
    const latest = this.#latest.get(row.account)?.get(row.action);
    if (latest?.hour === row.hour) addStatistics(latest, row);
    else if (this.#rows.length >= maxRows) return;
    else if (latest) this.#rows.push(row);
    else this.#add(row);
  }

  #row(account: string, action: string): CallStatistics | undefined {
    const hour = Math.floor(this.#options.storeNow() / hourMs);
    const latest = this.#latest.get(account)?.get(action);
    if (latest?.hour === hour) return latest;
    if (this.#rows.length >= maxRows) return undefined;
    const row: CallStatistics = { account, hour, action, errors: {}, durations: {} };
    this.#add(row);
    if (this.#rows.length === maxRows / 2) void this.flush();
    return row;
  }

  #add(row: CallStatistics): void {
    this.#rows.push(row);
    const rows = this.#latest.get(row.account) ?? new Map<string, CallStatistics>();
    this.#latest.set(row.account, rows.set(row.action, row));
  }
}
