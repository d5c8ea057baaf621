import { LRUCache } from 'lru-cache';
import { upTo } from '../../shared/runtime/lru.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';

/** The number of wrong codes for one account that starts the first waiting time. */
const wrongCodesBeforeWait = 3;
const firstWaitMs = 60_000;
const longestWaitMs = 4 * 60 * 60_000;
/** Wrong codes are forgotten if none follows within this time. */
const memoryMs = 24 * 60 * 60_000;
/** The maximum number of guesses that may wait for one account. */
const maxQueue = 20;

/** The outcome of a guess. `other` means that the guess failed for a reason that says nothing about the code. */
export type GuessOutcome = 'right' | 'wrong' | 'other';

interface Account {
  wrong: number;
  waitUntil: number;
}

/**
 * Runs the guesses of an account one at a time and counts wrong codes. The third wrong code starts a waiting time, and
 * each further one doubles it. The counts are lost when the process ends, but the realms enforce the final limit of
 * guesses.
 */
export class GuessTurns {
  readonly #runtime: Pick<Runtime, 'now'>;
  readonly #accounts: LRUCache<string, Account>;
  /** The waiting guesses of each account. An account has an entry while one of its guesses runs. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(runtime: Pick<Runtime, 'now'>) {
    this.#runtime = runtime;
    this.#accounts = new LRUCache({ ...upTo(10_000), ttl: memoryMs, perf: { now: () => runtime.now() } });
  }

  /**
   * Returns the number of seconds until another encryption code may be tried for the account; 0 if one may be tried
   * now.
   */
  waitSeconds(accountId: string): number {
    const { waitUntil = 0 } = this.#accounts.get(accountId) ?? {};
    return Math.max(0, Math.ceil((waitUntil - this.#runtime.now()) / 1_000));
  }

  /**
   * Waits until the account may guess, and returns 0. Call `end` after the guess. If no guess is allowed yet, returns
   * the number of seconds to wait.
   */
  async begin(accountId: string): Promise<number> {
    const waiting = this.#waiting.get(accountId);
    if (waiting === undefined) this.#waiting.set(accountId, []);
    else if (waiting.length + 1 >= maxQueue) return 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    const seconds = this.waitSeconds(accountId);
    if (seconds > 0) this.#next(accountId);
    return seconds;
  }

  /** Ends a guess, so that the next one may start. */
  end(accountId: string, outcome: GuessOutcome): void {
    if (outcome === 'right') this.#accounts.delete(accountId);
    if (outcome === 'wrong') this.#countWrong(accountId);
    this.#next(accountId);
  }

  #next(accountId: string): void {
    const next = this.#waiting.get(accountId)?.shift();
    if (next === undefined) this.#waiting.delete(accountId);
    else next();
  }

  #countWrong(accountId: string): void {
    const wrong = (this.#accounts.get(accountId)?.wrong ?? 0) + 1;
    const waitMs =
      wrong < wrongCodesBeforeWait ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** (wrong - wrongCodesBeforeWait));
    this.#accounts.set(accountId, { wrong, waitUntil: this.#runtime.now() + waitMs });
  }
}
