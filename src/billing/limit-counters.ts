import type { Runtime } from '../shared/runtime/runtime.ts';
import { RateLimiter, type RateState } from './rate-limiter.ts';

/**
 * The events that are counted: `calls` of an API key; `failures` of an account, which are failed calls; `requests` without a valid key, and `look_ups` of unknown keys, from a client
 * address.
 */
export type RateKind = 'calls' | 'failures' | 'requests' | 'look_ups';

/** The kinds of work that an API key can have running or open at the same time. */
export type SlotKind = 'requests' | 'streams';

/** The limits of one API key. 0 means no limit. */
export interface CallLimits {
  /** The maximum number of concurrent requests. */
  requests: number;
  /** The maximum number of calls per minute. */
  calls: number;
}

export interface Admission {
  /** False if too many requests are running. In this case the call was not counted. */
  entered: boolean;
  /** The state of the rate limit; `null` if there is none. */
  rate: RateState | null;
}

export interface LimitCountersOptions {
  runtime: Runtime;
  /** Returns the number of processes that share the limits. */
  processes: () => number;
}

/**
 * The lowest share of a process, in requests without a valid key per minute. A request whose key is being looked up counts until the key is
 * found. With a lower share, a gateway among many others would refuse requests with valid keys.
 */
const lowestShareOfRequests = 60;

/**
 * Counts the use of API keys and client addresses for their limits. Each process allows its share of a rate. Slots are counted for this
 * process alone.
 */
export class LimitCounters {
  readonly #rates: Readonly<Record<RateKind, RateLimiter>>;
  readonly #slots: Readonly<Record<SlotKind, Map<string, number>>> = { requests: new Map(), streams: new Map() };

  constructor(options: LimitCountersOptions) {
    const limiter = (lowestShare?: number) => new RateLimiter({ ...options, defaultLimit: 0, lowestShare });
    this.#rates = {
      calls: limiter(),
      failures: limiter(),
      requests: limiter(lowestShareOfRequests),
      look_ups: limiter(),
    };
  }

  /** Takes a slot for a request of the key. If a slot is free, also counts a call. */
  admit(key: string, { requests, calls }: CallLimits): Admission {
    if (!this.enter('requests', key, requests)) return { entered: false, rate: null };
    return { entered: true, rate: this.take('calls', key, calls) };
  }

  /** Counts an event. `limit` is the maximum per minute. Returns `null` if `limit` is 0. */
  take(kind: RateKind, id: string, limit: number): RateState | null {
    return this.#rates[kind].take(id, limit);
  }

  /** Counts further events that are never refused. A negative number undoes events. */
  add(kind: RateKind, id: string, events: number): void {
    this.#rates[kind].add(id, events);
  }

  /** Takes a slot. Returns false if all slots are taken. */
  enter(kind: SlotKind, key: string, limit: number): boolean {
    const taken = this.#slots[kind].get(key) ?? 0;
    if (limit > 0 && taken >= limit) return false;
    this.#slots[kind].set(key, taken + 1);
    return true;
  }

  /** Releases a slot. */
  leave(kind: SlotKind, key: string): void {
    const others = (this.#slots[kind].get(key) ?? 1) - 1;
    if (others > 0) this.#slots[kind].set(key, others);
    else this.#slots[kind].delete(key);
  }
}
