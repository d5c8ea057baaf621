import { LRUCache } from 'lru-cache';
import { PosternError } from '../shared/errors/postern-error.ts';
import { upTo } from '../shared/runtime/lru.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { LimitCounters } from './limit-counters.ts';

/** The maximum number of accounts whose refusals are kept. */
const maxAccounts = 100_000;

export interface FailedCallLimitOptions {
  runtime: Runtime;
  counters: LimitCounters;
  /** The maximum number of failed calls per minute for each account; 0 for no limit. */
  limit: number;
}

/** Limits the failed calls of each account, because they are free but load the platform like successful calls. */
export class FailedCallLimit {
  readonly #options: FailedCallLimitOptions;
  readonly #refusedUntil = new LRUCache<string, number>(upTo(maxAccounts));

  constructor(options: FailedCallLimitOptions) {
    this.#options = options;
  }

  /** Throws `failed_call_limit` if the account has too many failed calls. Must be called before each call. */
  check(account: string): void {
    const { runtime, limit } = this.#options;
    const waitMs = (this.#refusedUntil.get(account) ?? 0) - runtime.now();
    if (waitMs <= 0) return;
    throw new PosternError(
      'failed_call_limit',
      `At most ${limit} calls of an account may fail per minute, because failed calls are free. Wait before the next call`,
      { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
    );
  }

  /** Counts a failed call. */
  count(account: string): void {
    const { runtime, counters, limit } = this.#options;
    const rate = counters.take('failures', account, limit);
    if (rate === null || rate.allowed) return;
    // Also counts calls that were in flight when the limit was reached, so that concurrent calls gain nothing.
    counters.add('failures', account, 1);
    this.#refusedUntil.set(account, runtime.now() + rate.retryAfterSeconds * 1_000);
  }
}
