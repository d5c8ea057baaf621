import type { ConnectionLimiter } from '../../outbound/connection-limiter.ts';

/**
 * The slot in which a call receives and parses a large answer of a server that callers choose. Such an answer needs several times its
 * size in memory.
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

  /** Resolves in the turn of the call. Rejects when `signal` is aborted. A repeated attempt uses the same slot. */
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

  /** Resolves at once if the answer needs no slot. */
  async entered(): Promise<void> {
    await this.#entered;
  }

  leave(): void {
    this.#isOver = true;
    this.#leave();
  }
}
