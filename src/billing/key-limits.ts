import { PosternError } from '../shared/errors/postern-error.ts';
import type { AuthenticatedKey } from './api-key-authenticator.ts';
import type { LimitCounters } from './limit-counters.ts';
import type { RateState } from './rate-limiter.ts';

export interface KeyLimitsOptions {
  counters: LimitCounters;
  /** The maximum number of calls per minute for each API key without a limit of its own; 0 for no limit. */
  rateLimit: number;
  /** The maximum number of concurrent requests of one API key; 0 for no limit. */
  maxConcurrentRequests: number;
  maxStreamsPerKey: number;
  /** Returns the fraction of `maxConcurrentRequests` that a key may use now. */
  keyShare: () => number;
}

export interface AdmittedCall {
  /** The state of the rate limit; `null` if there is none. If `allowed` is false, the call must be refused. */
  rate: RateState | null;
  /** Must be called when the request has ended. Calling it again has no effect. */
  leave: () => void;
}

/** Enforces the limits of API keys: calls per minute, concurrent requests and open streams. */
export class KeyLimits {
  readonly #options: KeyLimitsOptions;

  constructor(options: KeyLimitsOptions) {
    this.#options = options;
  }

  /**
   * Counts a call, and counts its request as running until `leave` is called. Throws `key_concurrency_limit`. A request is running until
   * its work has ended, even if its client has disconnected, because a write continues without its client. A live stream calls `leave` when
   * it opens.
   */
  admit({ id, rateLimit, restrictions }: AuthenticatedKey): AdmittedCall {
    const { counters, maxConcurrentRequests, rateLimit: ofService, keyShare } = this.#options;
    const requests = Math.ceil(maxConcurrentRequests * keyShare());
    const calls = lowerLimit(rateLimit ?? ofService, restrictions?.callsPerMinute ?? 0);
    const { entered, rate } = counters.admit(id, { requests, calls });
    if (!entered) throw tooManyRequests(requests);
    return { rate, leave: once(() => counters.leave('requests', id)) };
  }

  /** Counts the calls of one request beyond the first, so that later calls may have to wait. */
  addCalls(key: string, calls: number): void {
    this.#options.counters.add('calls', key, calls);
  }

  /** Counts an open stream until the returned function is called. Throws `key_stream_limit`. */
  openStream(key: string): () => void {
    const { counters, maxStreamsPerKey: limit } = this.#options;
    if (!counters.enter('streams', key, limit)) throw tooManyStreams(limit);
    return once(() => counters.leave('streams', key));
  }
}

/** Returns the lower of two limits. A limit of 0 means no limit. */
function lowerLimit(a: number, b: number): number {
  return a === 0 || b === 0 ? a + b : Math.min(a, b);
}

function once(task: () => void): () => void {
  let done = false;
  return () => {
    if (!done) task();
    done = true;
  };
}

function tooManyRequests(limit: number): PosternError {
  const message = `This API key has reached its limit of concurrent requests (${limit} at present): wait until one has ended`;
  return new PosternError('key_concurrency_limit', message, { retryAfterSeconds: 1 });
}

function tooManyStreams(limit: number): PosternError {
  const message = `This API key has ${limit} live streams open, and may have no more at a time: close one first`;
  return new PosternError('key_stream_limit', message);
}
