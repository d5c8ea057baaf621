import { ConnectionError } from './errors.ts';

/** The maximum delay of a timer. A longer delay would fire immediately. */
const longestTimerMs = 2 ** 31 - 1;

/** Aborts a request when the caller's signal aborts, or after a time without progress. */
export class Watchdog {
  readonly #parent: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #onAbort = () => this.#controller.abort(this.#parent?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parent: AbortSignal | undefined) {
    this.#parent = parent;
    if (parent?.aborted) this.#onAbort();
    parent?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for a part of the request. Rejects when the request is aborted, even if `fetch` ignores its signal. */
  wait<Part>(part: Promise<Part>): Promise<Part> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      const settle = () => signal.removeEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      part.then(resolve, reject).finally(settle);
    });
  }

  /** Starts the time again. */
  restart(timeoutMs: number): void {
    this.pause();
    const error = () => new ConnectionError('timed_out', `No response within ${timeoutMs} ms`);
    this.#timer = setTimeout(() => this.#controller.abort(error()), Math.min(timeoutMs, longestTimerMs));
  }

  /** Stops the time until `restart`. The caller's signal still aborts the request. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the watch. The request is not aborted. */
  stop(): void {
    this.pause();
    this.#parent?.removeEventListener('abort', this.#onAbort);
  }

  /** Aborts the request. */
  abort(): void {
    this.stop();
    this.#controller.abort();
  }
}

/** Waits. Rejects with the reason of the signal if it aborts. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(ms, longestTimerMs),
    );
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
