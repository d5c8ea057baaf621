import { LRUCache } from 'lru-cache';
import { PosternError } from '../shared/errors/postern-error.ts';
import { upTo } from '../shared/runtime/lru.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';

const windowSeconds = 60;
/** The maximum number of buckets. The least recently used ones are removed first, because they are usually full, like new ones. */
const bucketLimit = 100_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** The state of a limit, for the headers of a response. */
export interface RateState {
  allowed: boolean;
  /** The maximum number of calls in `windowSeconds` over all processes. */
  limit: number;
  windowSeconds: number;
  /** The number of calls that this key can make immediately. */
  remaining: number;
  /** The number of seconds until the whole limit is available again. */
  resetSeconds: number;
  /** The number of seconds until the next call is allowed; 0 if this call was allowed. */
  retryAfterSeconds: number;
}

export interface RateLimiterOptions {
  runtime: Runtime;
  /** The maximum number of calls per minute for each key without a limit of its own; 0 for no limit. */
  defaultLimit: number;
  /** Returns the number of processes that share the limit. */
  processes: () => number;
  /** The smallest share of a process in calls per minute, unless the limit is lower. */
  lowestShare?: number | undefined;
}

/**
 * A token bucket for each key, which is the id of an API key or a client address. A caller may use the limit of a minute at once, and the
 * bucket is refilled at a constant rate. Each process allows its share of the limit, so no call waits for another process.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #buckets = new LRUCache<string, Bucket>(upTo(bucketLimit));

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** Counts one call. `ownLimit` is the limit of the account, if it has one. Returns `null` if there is no limit. */
  take(key: string, ownLimit: number | null): RateState | null {
    const { defaultLimit, lowestShare = 0 } = this.#options;
    const limit = ownLimit ?? defaultLimit;
    if (limit === 0) return null;
    const processes = this.#options.processes();
    const shareOfFleet = Math.max(lowestShare, limit / processes);
    // A share below one whole call would never allow a call.
    const share = Math.max(1, Math.min(limit, shareOfFleet));
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
      remaining: Math.max(0, Math.floor(bucket.tokens * (limit / share))),
      resetSeconds: Math.ceil((share - bucket.tokens) / perSecond),
      retryAfterSeconds: allowed ? 0 : Math.ceil((1 - bucket.tokens) / perSecond),
    };
  }

  /** Counts the calls of one request beyond the first, so that later calls may have to wait. A negative number undoes calls. */
  add(key: string, calls: number): void {
    const bucket = this.#buckets.get(key);
    if (bucket) bucket.tokens -= calls;
  }
}

/** Returns the error for a call that was not allowed. */
export function rateRefusal({ limit, retryAfterSeconds }: RateState): PosternError {
  return new PosternError(
    'key_rate_limit',
    `This API key may make at most ${limit} calls per minute. Wait before the next call`,
    { retryAfterSeconds },
  );
}
