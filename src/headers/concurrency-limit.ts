import { PosternError } from '../errors/postern-error.ts';

/** Limits the requests that this process works on for one API key at a time. */
export class ConcurrencyLimit {
  readonly #limit: number;
  readonly #running = new Map<string, number>();

  /** 0 for no limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Counts a request until the returned function is called. That is when its work has ended, not when its client has hung up: a
   * write goes on without its client. Throws `rate_limited`.
   */
  enter(key: string): () => void {
    const running = this.#running.get(key) ?? 0;
    if (this.#limit > 0 && running >= this.#limit) {
      throw new PosternError(
        'rate_limited',
        `This API key has ${this.#limit} requests running, which is the limit of concurrent requests: wait until one has ended`,
        { retryAfterSeconds: 1 },
      );
    }
    this.#running.set(key, running + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const others = (this.#running.get(key) ?? 1) - 1;
      if (others > 0) this.#running.set(key, others);
      else this.#running.delete(key);
    };
  }
}
