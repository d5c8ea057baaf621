import { LRUCache } from 'lru-cache';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { isWrongCode, tooManyWrongCodes } from './refusals.ts';

/** The number of wrong codes for one account that leads to the first wait. */
const freeOfWait = 3;
const firstWaitMs = 60_000;
const longestWaitMs = 4 * 60 * 60_000;
/** Wrong codes are forgotten after this time without another. */
const memoryMs = 24 * 60 * 60_000;
/** The number of callers that may queue for guesses of one account. */
const longestQueue = 20;

interface Account {
  wrong: number;
  waitUntil: number;
}

/**
 * Slows down wrong codes for one platform account, so that a caller cannot use up its guesses. The third wrong code starts a
 * wait, and each further one doubles it. The state is in memory and lost when the process ends. The realms' count of guesses
 * is the limit that always holds.
 */
export class GuessThrottle {
  readonly #runtime: Runtime;
  readonly #accounts: LRUCache<string, Account>;
  readonly #queues = new Map<string, { length: number; last: Promise<unknown> }>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#accounts = new LRUCache({ max: 10_000, ttl: memoryMs, perf: { now: () => runtime.now() } });
  }

  /** Throws `rate_limited` during a wait. */
  check(accountId: string): void {
    const { waitUntil = 0 } = this.#accounts.get(accountId) ?? {};
    const leftMs = waitUntil - this.#runtime.now();
    if (leftMs > 0) throw tooManyWrongCodes(Math.ceil(leftMs / 1_000));
  }

  /** Runs the guesses of an account one at a time, so that each one counts before the next begins. */
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
