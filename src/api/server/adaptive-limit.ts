/** The time that an event loop was active since its start, and the number of its turns. */
export interface LoopUse {
  activeMs: number;
  turns: number;
}

export interface AdaptiveLimitOptions {
  /** The maximum mean duration of a turn of the event loop in milliseconds. Above it, concurrent requests are limited. */
  maxTurnMs: number;
  readLoop: () => LoopUse;
}

/** The limit is never lower, so that fewer than half as many requests are never refused, however slow the machine is. */
const lowestLimit = 32;
/** The limit begins after this many consecutive samples above the maximum, because a single long turn is over when it is measured. */
const lateSamples = 2;
/** The limit ends after this many samples in which it refused nothing. */
const calmSamples = 10;
/** The limit changes by at most these factors in one sample. */
const decrease = 0.8;
const increase = 1.05;

/**
 * Limits concurrent requests while the event loop is saturated. The requests in flight share the event loop, so its turns get longer with
 * their number, and each request takes several turns. The limit is the number at which a turn takes `maxTurnMs`. It is found by additive and
 * multiplicative steps, as the congestion window of TCP. Requests that wait for the platform do not make turns longer, so a slow platform
 * causes no limit.
 *
 * Callers share the limit by dynamic thresholds (Choudhury and Hahne 1998): a caller may have as many requests in flight as are free. A
 * caller that sends more than its share thus leaves as much room to the others as it takes itself.
 */
export class AdaptiveLimit {
  readonly #options: AdaptiveLimitOptions;
  #last: LoopUse;
  /** `null` if there is no limit. */
  #limit: number | null = null;
  #late = 0;
  #calm = 0;
  #refused = false;

  constructor(options: AdaptiveLimitOptions) {
    this.#options = options;
    this.#last = options.readLoop();
  }

  /** Returns false if a request of a caller must be refused. `own` is the number of requests in flight of the caller. */
  allows(inFlight: number, own: number): boolean {
    if (this.#limit === null || own < this.#limit - inFlight) return true;
    this.#refused = true;
    return false;
  }

  /** Adjusts the limit. Must be called about every 50 ms. */
  sample(inFlight: number): void {
    const { maxTurnMs, readLoop } = this.#options;
    const { activeMs, turns } = readLoop();
    const turnMs = (activeMs - this.#last.activeMs) / Math.max(1, turns - this.#last.turns);
    this.#last = { activeMs, turns };
    const refused = this.#refused;
    this.#refused = false;
    const isLate = turnMs > maxTurnMs;
    if (this.#limit === null) {
      this.#late = isLate ? this.#late + 1 : 0;
      if (this.#late >= lateSamples) this.#begin((inFlight * maxTurnMs) / turnMs);
      return;
    }
    this.#calm = isLate || refused ? 0 : this.#calm + 1;
    if (this.#calm >= calmSamples) {
      this.#limit = null;
      this.#late = 0;
    } else if (isLate) {
      // Requests above a new limit are still completed, so the limit has had no effect yet.
      if (inFlight <= this.#limit) this.#set(this.#limit * Math.max(decrease, maxTurnMs / turnMs));
    } else if (refused) this.#set(this.#limit * increase + 1);
  }

  #begin(limit: number): void {
    this.#calm = 0;
    this.#set(limit);
  }

  #set(limit: number): void {
    this.#limit = Math.max(lowestLimit, limit);
  }
}
