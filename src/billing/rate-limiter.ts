import { LRUCache } from 'lru-cache';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';

const windowSeconds = 60;
/** The least recently used keys are forgotten first. Their buckets are usually full, as new ones are. */
const bucketLimit = 100_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** The state of a limit, for the headers of a response. */
export interface RateState {
  allowed: boolean;
  /** Calls in `windowSeconds`, over all processes. */
  limit: number;
  windowSeconds: number;
  /** Calls that this key may make at once. */
  remaining: number;
  /** Seconds until all of the limit is there again. */
  resetSeconds: number;
  /** Seconds until the next call may be made; 0 if this one was allowed. */
  retryAfterSeconds: number;
}

export interface RateLimiterOptions {
  runtime: Runtime;
  /** Calls a minute of each key without a limit of its own; 0 for none. */
  defaultLimit: number;
  /** How many processes share the limit. */
  processes: () => number;
}

/**
 * A token bucket for each key, which is the id of an API key or a client address. The calls of a minute may come at once, and
 * come back evenly. Each process gives out its share of the limit, so no call waits for another process.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #buckets = new LRUCache<string, Bucket>({ max: bucketLimit });

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** Counts one call. `ownLimit` is the limit of the account, if it has one. Returns `null` if there is no limit. */
  take(key: string, ownLimit: number | null): RateState | null {
    const limit = ownLimit ?? this.#options.defaultLimit;
    if (limit === 0) return null;
    const processes = this.#options.processes();
    // Less than one whole call could never be made.
    const share = Math.max(1, limit / processes);
    const perSecond = share / windowSeconds;
    const now = this.#options.runtime.now();
    const bucket = this.#buckets.get(key) ?? { tokens: share, at: now };
    // The clock may have been set back.
    const elapsedSeconds = Math.max(0, now - bucket.at) / 1_000;
    bucket.tokens = Math.min(share, bucket.tokens + elapsedSeconds * perSecond);
    bucket.at = now;
    this.#buckets.set(key, bucket);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    return {
      allowed,
      limit,
      windowSeconds,
      remaining: Math.max(0, Math.floor(Math.min(limit, bucket.tokens * processes))),
      resetSeconds: Math.ceil((share - bucket.tokens) / perSecond),
      retryAfterSeconds: allowed ? 0 : Math.ceil((1 - bucket.tokens) / perSecond),
    };
  }

  /** Counts calls that one request made beyond its first, so later calls may have to wait. A negative number gives calls back. */
  add(key: string, calls: number): void {
    const bucket = this.#buckets.get(key);
    if (bucket) bucket.tokens -= calls;
  }
}

/** Returns the error for a call that was not allowed. */
export function rateRefusal({ limit, retryAfterSeconds }: RateState): PosternError {
  return new PosternError('key_rate_limit', `This API key may make ${limit} calls a minute: wait, or slow down`, {
    retryAfterSeconds,
  });
}
