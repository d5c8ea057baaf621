import { PosternError } from '../errors/postern-error.ts';

/** Bounds how many live streams each API key has open at a time, in this process. */
export class StreamLimiter {
  readonly #limit: number;
  readonly #open = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts one more stream of this key. Returns how to count it no longer, which has an effect once. Throws `rate_limited`. */
  take(key: string): () => void {
    const open = this.#open.get(key) ?? 0;
    if (open >= this.#limit) {
      throw new PosternError(
        'rate_limited',
        `This API key has ${this.#limit} live streams open, and may have no more at a time: close one first`,
      );
    }
    this.#open.set(key, open + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#open.get(key) ?? 1) - 1;
      if (left > 0) this.#open.set(key, left);
      else this.#open.delete(key);
    };
  }
}
