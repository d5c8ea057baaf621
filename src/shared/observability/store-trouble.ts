import type { Logger } from './logger.ts';

/**
 * Tells once that the store fails, and why, and once that it is over: a store that is away fails every attempt of every
 * call, and a log that is full of one line hides all others.
 */
export class StoreTrouble {
  readonly #logger: Logger;
  readonly #told = new Set<string>();
  #failures = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  happened(err: unknown): void {
    this.#failures++;
    const reason = err instanceof Error ? err.message : String(err);
    if (this.#told.has(reason)) return;
    this.#told.add(reason);
    this.#logger.warn(
      { reason },
      'the store fails; calls that need it are refused, and it is tried again until it is back',
    );
  }

  /** To be told of every success that proves that the store can be written. */
  over(): void {
    if (this.#failures === 0) return;
    this.#logger.warn({ failures: this.#failures }, 'the store is back');
    this.#failures = 0;
    this.#told.clear();
  }
}
