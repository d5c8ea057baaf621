import { StoreUnavailableError } from '../port.ts';

/**
 * Allows one transaction at a time for each account in this process, because concurrent transactions on an account would make each other
 * fail. Transactions of different processes are serialised by the database.
 */
export class AccountMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  /**
   * Runs `work` when all earlier work of the account has ended. Rejects `limitMs` after `work` began, but starts the next work only when
   * `work` has ended.
   */
  take<T>(account: string, limitMs: number, work: () => Promise<T>): Promise<T> {
    let working: Promise<T> | undefined;
    const before = this.#tails.get(account) ?? Promise.resolve();
    const answer = before.then(() => {
      working = work();
      return within(limitMs, working);
    });
    const tail = answer
      .catch(() => working)
      .catch(() => undefined)
      .then(() => {
        if (this.#tails.get(account) === tail) this.#tails.delete(account);
      });
    this.#tails.set(account, tail);
    return answer;
  }
}

/** Rejects after `limitMs` if `work` has not settled. `work` is not cancelled; its own limits end it. */
export function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const say = () => reject(new StoreUnavailableError(`MongoDB did not respond within ${limitMs / 1_000} s`));
    timer = setTimeout(say, limitMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
