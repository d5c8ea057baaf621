import { LRUCache } from 'lru-cache';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { isWrongCode, tooManyWrongCodes } from './refusals.ts';

/** Wrong codes for one account until the first wait. */
const freeOfWait = 3;
const firstWaitMs = 60_000;
const longestWaitMs = 4 * 60 * 60_000;
/** After so long without another, wrong codes are forgotten. */
const memoryMs = 24 * 60 * 60_000;
/** Callers that may queue for one account's guesses. */
const longestQueue = 20;

interface Account {
  wrong: number;
  waitUntil: number;
}

/**
 * Slows wrong codes for one platform account, so that one caller cannot burn its guesses: after three, each further one makes
 * the next wait twice as long. It knows what this process saw, and forgets it when that ends; the limit that holds whatever
 * happens is the realms' count of guesses.
 */
export class GuessThrottle {
  readonly #runtime: Runtime;
  readonly #accounts: LRUCache<string, Account>;
  readonly #queues = new Map<string, { length: number; last: Promise<unknown> }>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#accounts = new LRUCache({ max: 10_000, ttl: memoryMs, perf: { now: () => runtime.now() } });
  }

  /** Throws `rate_limited` while a code may not be tried. */
  check(accountId: string): void {
    const { waitUntil = 0 } = this.#accounts.get(accountId) ?? {};
    const leftMs = waitUntil - this.#runtime.now();
    if (leftMs > 0) throw tooManyWrongCodes(Math.ceil(leftMs / 1_000));
  }

  /** Makes one guess after the other, so that however many come at once, each is judged by what became of those before. */
  async run<T>(accountId: string, guess: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(accountId) ?? { length: 0, last: Promise.resolve() };
    if (queue.length >= longestQueue) throw tooManyWrongCodes(1);
    this.#queues.set(accountId, queue);
    queue.length++;
    const run = queue.last.then(() => this.#judge(accountId, guess));
    queue.last = run.catch(() => {});
    try {
      return await run;
    } finally {
      if (--queue.length === 0) this.#queues.delete(accountId);
    }
  }

  async #judge<T>(accountId: string, guess: () => Promise<T>): Promise<T> {
    this.check(accountId);
    try {
      const result = await guess();
      this.#accounts.delete(accountId);
      return result;
    } catch (error) {
      if (isWrongCode(error)) this.#count(accountId);
      throw error;
    }
  }

  #count(accountId: string): void {
    const wrong = (this.#accounts.get(accountId)?.wrong ?? 0) + 1;
    const waitMs = wrong < freeOfWait ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** (wrong - freeOfWait));
    this.#accounts.set(accountId, { wrong, waitUntil: this.#runtime.now() + waitMs });
  }
}
