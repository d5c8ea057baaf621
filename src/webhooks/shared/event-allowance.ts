import { LRUCache } from 'lru-cache';
import { upTo } from '../../shared/runtime/lru.ts';
import type { PollerRecord } from '../../store/port.ts';

/** The limits of the events that pollers read (docs/webhooks.md, Event limits). */
export interface EventLimits {
  /** The events of one poller. */
  perMinute: number;
  perDay: number;
  /** The bytes that the events of one account add to the store. */
  bytesPerDay: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The response bytes that a poller may read for each event of its per-minute limit: 8 MiB for 1,000 events. */
const bytesPerEvent = (8 * 1_024 * 1_024) / 1_000;
/** All pollers of an account together may read this many times as much a minute as one of them. */
const pollersPerAccount = 4;
const maxRemembered = 20_000;

/**
 * A token bucket. A full bucket has the amount of one period, and an empty one is full again after one period. It may be overdrawn by the
 * amount of one response, because the size of a response is known only when it has arrived.
 */
class TokenBucket {
  readonly #size: number;
  readonly #periodMs: number;
  #tokens: number;
  #at: number;

  constructor(size: number, periodMs: number, now: number) {
    this.#size = size;
    this.#periodMs = periodMs;
    this.#tokens = size;
    this.#at = now;
  }

  take(amount: number, now: number): void {
    // The clock may have been set back.
    const passedMs = Math.max(0, now - this.#at);
    this.#tokens = Math.min(this.#size, this.#tokens + (passedMs * this.#size) / this.#periodMs) - amount;
    this.#at = now;
  }

  /** Returns the time in milliseconds until the bucket is no longer overdrawn. */
  waitMs(now: number): number {
    this.take(0, now);
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * this.#periodMs) / this.#size);
  }
}

interface Buckets {
  events: TokenBucket;
  bytes: TokenBucket;
  /** The events of a poller, or the stored bytes of an account. */
  day: TokenBucket;
}

type Poller = Pick<PollerRecord, 'account' | 'id'>;

/**
 * Limits the events that the pollers of this process read. Events above the limits are not requested, so they wait at the platform. The
 * allowances outlive their pollers, so that a new webhook does not renew them.
 */
export class EventAllowances {
  readonly #limits: EventLimits;
  readonly #now: () => number;
  readonly #pollers = new LRUCache<string, Buckets>(upTo(maxRemembered));
  readonly #accounts = new LRUCache<string, Buckets>(upTo(maxRemembered));

  constructor(limits: EventLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  get eventsPerMinute(): number {
    return this.#limits.perMinute;
  }

  /** Returns the time in milliseconds until the poller may send another request. */
  waitMs({ account, id }: Poller): number {
    const now = this.#now();
    const all = [this.#pollers.get(id), this.#accounts.get(account)].flatMap((buckets) =>
      buckets ? [buckets.events, buckets.bytes, buckets.day] : [],
    );
    return Math.max(0, ...all.map((bucket) => bucket.waitMs(now)));
  }

  /** Must be called for the events of a page and the bytes of the responses with it. */
  received({ account, id }: Poller, { events, bytes }: { events: number; bytes: number }): void {
    const now = this.#now();
    const poller = this.#pollerBuckets(id, now);
    poller.day.take(events, now);
    for (const buckets of [poller, this.#accountBuckets(account, now)]) {
      buckets.events.take(events, now);
      buckets.bytes.take(bytes, now);
    }
  }

  /** Must be called for the bytes that events of the account have added to the store. */
  stored({ account }: Pick<Poller, 'account'>, bytes: number): void {
    const now = this.#now();
    this.#accountBuckets(account, now).day.take(bytes, now);
  }

  /** Returns true if the account may store more bytes. In this case they are counted. */
  mayStore({ account }: Pick<Poller, 'account'>, bytes: number): boolean {
    const now = this.#now();
    if (this.#accountBuckets(account, now).day.waitMs(now) > 0) return false;
    this.stored({ account }, bytes);
    return true;
  }

  #pollerBuckets(id: string, now: number): Buckets {
    const { perMinute, perDay } = this.#limits;
    return bucketsOf(this.#pollers, id, perMinute, perDay, now);
  }

  #accountBuckets(account: string, now: number): Buckets {
    const { perMinute, bytesPerDay } = this.#limits;
    return bucketsOf(this.#accounts, account, pollersPerAccount * perMinute, bytesPerDay, now);
  }
}

function bucketsOf(
  known: LRUCache<string, Buckets>,
  key: string,
  perMinute: number,
  perDay: number,
  now: number,
): Buckets {
  const buckets = known.get(key) ?? {
    events: new TokenBucket(perMinute, minuteMs, now),
    bytes: new TokenBucket(perMinute * bytesPerEvent, minuteMs, now),
    day: new TokenBucket(perDay, dayMs, now),
  };
  known.set(key, buckets);
  return buckets;
}
