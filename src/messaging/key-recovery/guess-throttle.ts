import type { GuessOutcome, GuessTurns } from './guess-turns.ts';
import { isWrongCode, tooManyWrongCodes } from './refusals.ts';

/**
 * Limits the rate of wrong codes for one platform account, so that a caller cannot quickly use up the guesses at the
 * realms.
 */
export class GuessThrottle {
  readonly #turns: GuessTurns;

  constructor(turns: GuessTurns) {
    this.#turns = turns;
  }

  /** Throws `rate_limited` during a waiting time. */
  check(accountId: string): void {
    refuseFor(this.#turns.waitSeconds(accountId));
  }

  /**
   * Runs the guesses of one account one at a time, so that the result of each is counted before the next one starts.
   */
  async run<T>(accountId: string, guess: () => Promise<T>): Promise<T> {
    refuseFor(await this.#turns.begin(accountId));
    let outcome: GuessOutcome = 'other';
    try {
      const result = await guess();
      outcome = 'right';
      return result;
    } catch (error) {
      if (isWrongCode(error)) outcome = 'wrong';
      throw error;
    } finally {
      this.#turns.end(accountId, outcome);
    }
  }
}

function refuseFor(seconds: number): void {
  if (seconds > 0) throw tooManyWrongCodes(seconds);
}
