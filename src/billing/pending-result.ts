import { runInGroups } from '../shared/runtime/turns.ts';

/**
 * The promise that a caller of the ledger waits for. Only the first result counts, because the caller may get a 503 before the outcome of
 * the commit is known.
 */
export class PendingResult<T> {
  readonly promise: Promise<T>;
  answered = false;
  /** The time at which the caller began to wait. */
  since: number;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: Error) => void;

  constructor(since: number) {
    this.since = since;
    const { promise, resolve, reject } = withResolvers<T>();
    this.promise = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  answer(value: T): void {
    this.answered = true;
    runInGroups(() => this.#resolve(value));
  }

  refuse(error: Error): void {
    this.answered = true;
    runInGroups(() => this.#reject(error));
  }
}

/** A pending result of any type. */
export type AnyPendingResult = Pick<PendingResult<unknown>, 'answered' | 'since' | 'refuse'>;

/** Replaces `Promise.withResolvers`, which exists only in Node 22 and later. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
