import { PosternError } from '../shared/errors/postern-error.ts';

/** Limits the requests or streams that one API key has running in this process. */
export class ConcurrencyLimit {
  readonly #limit: number;
  readonly #refusal: (limit: number) => PosternError;
  readonly #running = new Map<string, number>();

  /** `limit` 0 means no limit. */
  constructor(limit: number, refusal: (limit: number) => PosternError) {
    this.#limit = limit;
    this.#refusal = refusal;
  }

  /** Counts one more until the returned function is called; calling it again has no effect. Throws the refusal. */
  enter(key: string): () => void {
    const running = this.#running.get(key) ?? 0;
    if (this.#limit > 0 && running >= this.#limit) throw this.#refusal(this.#limit);
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

/**
 * Requests count until their work has ended, not until their client has hung up, because a write goes on without its
 * client. A live stream leaves when it opens.
 */
export function requestLimit(limit: number): ConcurrencyLimit {
  return new ConcurrencyLimit(limit, (requests) => {
    const message = `This API key has ${requests} requests running, which is the limit of concurrent requests: wait until one has ended`;
    return new PosternError('key_concurrency_limit', message, { retryAfterSeconds: 1 });
  });
}

export function streamLimit(limit: number): ConcurrencyLimit {
  return new ConcurrencyLimit(limit, (streams) => {
    const message = `This API key has ${streams} live streams open, and may have no more at a time: close one first`;
    return new PosternError('key_stream_limit', message);
  });
}
