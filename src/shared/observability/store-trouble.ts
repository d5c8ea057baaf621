import type { Logger } from './logger.ts';

/**
 * Logs once that the store fails, with the reason, and once that it has recovered. While the store is away every attempt of every
 * call fails, and that many lines would hide all others.
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

  /** To be called after every successful write to the store. */
  over(): void {
    if (this.#failures === 0) return;
    this.#logger.warn({ failures: this.#failures }, 'the store is back');
    this.#failures = 0;
    this.#told.clear();
  }
}
