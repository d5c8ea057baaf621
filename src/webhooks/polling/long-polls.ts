import { activeMs } from './poll-delays.ts';

/**
 * The maximum number of concurrent waits through one proxy. Providers serve many users from one host, and other calls of these users need
 * its connections too.
 */
const maxPerProxy = 64;
/** The minimum duration of a wait in milliseconds. A shorter wait saves no requests. */
const shortestMs = 5_000;
/** If waits fail again within `interruptionsMs`, later waits are shorter for `shortenedMs`. */
const interruptionsMs = 600_000;
const shortenedMs = 3_600_000;
/** The minimum average interval between polls of one account. A burst may contain `burstPolls` more polls. */
const msPerPoll = 200;
const burstPolls = 100;

/** The account that pays for a poller, and the name of its proxy; `null` if it has no proxy. */
export interface LongPollOwner {
  account: string;
  proxy: string | null;
}

/**
 * Limits how many polls of this process wait at the platform at the same time. An account gets a slot only if it holds fewer slots than are
 * free, so that one account alone gets at most half of them. The more slots are taken, the more recent the actor's last event must be.
 */
export class LongPollSlots {
  readonly #limit: number;
  #taken = 0;
  /** The number of slots of each account and of each proxy. */
  readonly #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Takes a slot. Returns a function that releases the slot and must be called once, or `null` if there is no free slot. `quiet` is 0 right
   * after an event and increases to 1 when the actor counts as quiet.
   */
  take({ account, proxy }: LongPollOwner, quiet: number): (() => void) | null {
    const keys = [`account ${account}`, ...(proxy === null ? [] : [`proxy ${proxy}`])];
    const [ofAccount = 0, ofProxy = 0] = keys.map((key) => this.#counts.get(key) ?? 0);
    if (this.#taken >= this.#limit * (1 - quiet) || ofAccount >= this.#limit - this.#taken) return null;
    if (ofProxy >= maxPerProxy) return null;
    this.#add(keys, 1);
    return () => this.#add(keys, -1);
  }

  #add(keys: readonly string[], change: 1 | -1): void {
    this.#taken += change;
    for (const key of keys) {
      const count = (this.#counts.get(key) ?? 0) + change;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    }
  }
}

/** A poll that may wait at the platform for `ms` milliseconds. */
export interface LongPoll {
  ms: number;
  /** Releases the slot. */
  end: () => void;
}

/** Decides whether and for how long the polls of one poller wait at the platform. */
export class LongPolls {
  readonly #slots: LongPollSlots;
  readonly #longestMs: number;
  #ms: number;
  #shortenedAt = Number.NEGATIVE_INFINITY;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #wasInterrupted = false;
  /** The time at which the last polls would have begun if they had been `msPerPoll` apart. */
  #pacedAt = Number.NEGATIVE_INFINITY;

  /** `longestMs` is the maximum duration of a wait; 0 disables waiting. */
  constructor(slots: LongPollSlots, longestMs: number) {
    this.#slots = slots;
    this.#longestMs = longestMs;
    this.#ms = longestMs;
  }

  /** Returns true if the polls of an actor may wait. `quietMs` is the time since the actor's last event. */
  isActive(quietMs: number): boolean {
    return quietMs < activeMs(this.#ms);
  }

  /** Begins a wait. Returns `null` if the actor is quiet or no slot is free. `mayBeQuiet` is true if the request of a quiet actor may wait too. */
  begin(owner: LongPollOwner, quietMs: number, mayBeQuiet: boolean): LongPoll | null {
    if (this.#ms < Math.min(shortestMs, this.#longestMs) || !(mayBeQuiet || this.isActive(quietMs))) return null;
    const end = this.#slots.take(owner, Math.min(quietMs / activeMs(this.#ms), mayBeQuiet ? 0.5 : 1));
    return end && { ms: this.#ms, end };
  }

  /** Must be called when a wait was interrupted. The next poll shows whether the platform is unavailable or only ends idle connections. */
  interrupted(): void {
    this.#wasInterrupted = true;
  }

  /** Must be called when a poll without a wait failed. */
  failed(): void {
    this.#wasInterrupted = false;
  }

  /** Must be called when a poll succeeded. If only waits fail, later waits become shorter. */
  succeeded(now: number): void {
    if (this.#wasInterrupted) {
      if (now - this.#interruptedAt < interruptionsMs) {
        this.#ms /= 2;
        this.#shortenedAt = now;
      }
      this.#wasInterrupted = false;
      this.#interruptedAt = now;
    } else if (now - this.#shortenedAt > shortenedMs) this.#ms = this.#longestMs;
  }

  /** Returns the pause in milliseconds after a wait that returned events. */
  pauseAfterEventsMs(now: number): number {
    this.#pacedAt = Math.max(Math.min(this.#pacedAt, now + burstPolls * msPerPoll), now) + msPerPoll;
    return Math.max(0, this.#pacedAt - now - burstPolls * msPerPoll);
  }
}
