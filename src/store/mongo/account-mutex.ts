import { StoreUnavailableError } from '../port.ts';

/**
 * One transaction for each account at a time. Those of one process would only make each other fail and try again;
 * here they wait for each other instead. Between processes the database decides.
 */
export class AccountMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Answers within `limitMs` of its turn; the next turn comes when `work` itself has ended. */
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

/** Rejects after `limitMs`, whatever becomes of `work`, which goes on alone until its own limits end it. */
export function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const say = () => reject(new StoreUnavailableError(`MongoDB did not answer within ${limitMs / 1_000} s`));
    timer = setTimeout(say, limitMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
