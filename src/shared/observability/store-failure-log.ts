import type { Logger } from './logger.ts';

/** The maximum number of log lines about one outage. The messages of some errors contain varying numbers, such as those of connections. */
const mostReasons = 20;

/**
 * Logs that the store fails, once for each reason, and that it has recovered. Logging every failed call would hide all other log lines.
 */
export class StoreFailureLog {
  readonly #logger: Logger;
  readonly #told = new Set<string>();
  #failures = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  failed(err: unknown): void {
    this.#failures++;
    const reason = err instanceof Error ? err.message : String(err);
    if (this.#told.has(reason) || this.#told.size === mostReasons) return;
    this.#told.add(reason);
    this.#logger.warn(
      { reason },
      'the store fails; calls that need it are refused, and it is tried again until it is back',
    );
  }

  /** Must be called after every successful write to the store. */
  succeeded(): void {
    if (this.#failures === 0) return;
    this.#logger.warn({ failures: this.#failures }, 'the store has recovered');
    this.#failures = 0;
    this.#told.clear();
  }
}
