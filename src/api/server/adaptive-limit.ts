/**
 * Returns the time that a shared resource has taken for its work since the last call, divided by the longest time allowed. Above 1 it is late.
 * `null` if the time is not known yet.
 */
export type ReadLateness = () => number | null;

/** The limit is never lower, so that a few requests are accepted however slow the machine is. */
const lowestLimit = 16;
/** The limit begins after this many consecutive late samples, because a short delay is over when it is measured. */
const lateSamples = 8;
/**
 * After one late sample, the limit begins as soon as the requests in flight have increased by as many as usually end in this number of
 * samples, and at least by `floodRequests`.
 */
const floodSamples = 4;
const floodRequests = 48;
/** The weight of a new sample in the mean number of requests that end in a sample. */
const newWeight = 0.1;
/**
 * In a flood, the limit begins with the number of requests in flight before the flood, and this part of the requests that came with it. It soon
 * increases if it is too low.
 */
const partOfOthers = 0.25;
/** The limit ends after this many samples that were in time and in which nothing was refused. */
const calmSamples = 20;
/** A caller may have this share of the free requests in flight. */
const shareOfFree = 0.5;
/** The limit decreases by at most this factor in one sample, and increases slowly, so that it does not oscillate. */
const decrease = 0.8;
const usualIncrease = { factor: 1.02, requests: 0.3 };

/**
 * Limits concurrent requests while something that all of them need is saturated, such as the event loop. The requests in flight share it, so
 * it takes longer with their number. The limit is the number of requests with which it takes the longest time allowed. It is found by small
 * steps, as the congestion window of TCP. Requests that wait for the platform do not change what is measured, so a slow platform causes no limit.
 *
 * Callers share the limit by dynamic thresholds (Choudhury and Hahne 1998): the number of requests that a caller may have in flight depends
 * on the number that is free. A caller that sends more than its share thus always leaves room to the others.
 */
export class AdaptiveLimit {
  readonly #readLateness: ReadLateness;
  readonly #increase: typeof usualIncrease;
  /** `null` if there is no limit. */
  #limit: number | null = null;
  /** The number of consecutive late samples. */
  #late = 0;
  /** The number of requests in flight at the last sample that was not late. */
  #inTime = 0;
  /** The mean number of requests that end in a sample that is not late. */
  #usual = 0;
  /** The number of requests that have ended since the last sample. */
  #ended = 0;
  #calm = 0;
  #refused = false;

  /** `increase` changes the limit in each sample that was in time and in which a request was refused. */
  constructor(readLateness: ReadLateness, increase = usualIncrease) {
    this.#readLateness = readLateness;
    this.#increase = increase;
  }

  /** Returns false if a request of a caller must be refused. `own` is the number of requests in flight of the caller. */
  allows(inFlight: number, own: number): boolean {
    if (this.#limit === null && this.#late > 0 && this.#isFlooded(inFlight)) {
      const before = Math.min(inFlight, this.#inTime);
      this.#begin(before + (inFlight - before) * partOfOthers);
    }
    if (this.#limit === null || own < shareOfFree * (this.#limit - inFlight)) return true;
    this.#refused = true;
    return false;
  }

  requestEnded(): void {
    this.#ended++;
  }

  /** Adjusts the limit. Must be called at regular intervals. */
  sample(inFlight: number): void {
    const ended = this.#ended;
    this.#ended = 0;
    const lateness = this.#readLateness();
    if (lateness === null) return;
    const refused = this.#refused;
    this.#refused = false;
    const isLate = lateness > 1;
    this.#late = isLate ? this.#late + 1 : 0;
    if (!isLate) {
      this.#inTime = inFlight;
      this.#usual += (ended - this.#usual) * newWeight;
    }
    if (this.#limit === null) {
      // This is no flood. A limit below the requests in flight would refuse many of them in a short burst.
      if (this.#late >= lateSamples) this.#begin(inFlight);
      return;
    }
    this.#calm = isLate || refused ? 0 : this.#calm + 1;
    if (this.#calm >= calmSamples) this.#limit = null;
    else if (isLate) {
      // While there are more requests than the limit allows, the limit has had no effect yet.
      if (inFlight <= this.#limit) this.#set(this.#limit * Math.max(decrease, 1 / lateness));
    } else if (refused) this.#set(this.#limit * this.#increase.factor + this.#increase.requests);
  }

  #isFlooded(inFlight: number): boolean {
    return inFlight - this.#inTime >= Math.max(floodRequests, floodSamples * this.#usual);
  }

  #begin(limit: number): void {
    this.#calm = 0;
    this.#set(limit);
  }

  #set(limit: number): void {
    this.#limit = Math.max(lowestLimit, limit);
  }
}
