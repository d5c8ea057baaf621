import type { ConnectionLimiter } from '../../outbound/connection-limiter.ts';

/**
 * The right of a call to receive and parse a large response of a server that callers choose. The number of slots is
 * limited, because parsing needs several times the size of the response in memory.
 */
export class AnswerSlot {
  readonly #limiter: ConnectionLimiter;
  readonly #account: string;
  #entered: Promise<void> | undefined;
  #leave: () => void = () => {};
  #isOver = false;

  constructor(limiter: ConnectionLimiter, account: string) {
    this.#limiter = limiter;
    this.#account = account;
  }

  /** Resolves when the call has its slot. Rejects when `signal` is aborted. Repeated calls wait for the same slot. */
  enter(signal: AbortSignal): Promise<void> {
    this.#entered ??= new Promise((resolve, reject) => {
      const begin = (leave: () => void) => {
        this.#leave = leave;
        if (this.#isOver) leave();
        resolve();
      };
      this.#limiter.enter({ account: this.#account, host: '' }, signal, begin, reject);
    });
    return this.#entered;
  }

  /** Waits for the slot if `enter` was called. */
  async entered(): Promise<void> {
    await this.#entered;
  }

  /** Releases the slot, also if the call still waits for it. */
  leave(): void {
    this.#isOver = true;
    this.#leave();
  }
}
