import type { Dispatcher } from 'undici';

export interface Answer {
  status: number;
  retryAfter: string | null;
  text: string;
}

/**
 * One request on its way. Undici's own `request` would give a stream and want an `AbortSignal`; this collects the body
 * and is aborted by a call, for a good part less work, and at once: undici hears an abort only once the request has a
 * connection, and a deadline must not wait for that.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Answer>;
  readonly #onStart: (() => void) | undefined;
  readonly #chunks: Buffer[] = [];
  #resolve: (answer: Answer) => void = () => {};
  #reject: (reason: Error) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #status = 0;
  #retryAfter: string | null = null;

  /** `onStart` hears when the answer begins. */
  constructor(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions, onStart?: () => void) {
    this.#onStart = onStart;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    dispatcher.dispatch(options, this);
  }

  /** Ends it, whatever its state: `answer` rejects with the reason unless it is there already. */
  abort(reason: Error): void {
    this.#aborted = reason;
    this.#reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(this.#aborted);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : null;
    this.#onStart?.();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [only, ...more] = this.#chunks;
    const body = more.length === 0 ? only : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, retryAfter: this.#retryAfter, text: body?.toString('utf8') ?? '' });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}

/** The attempts of one call: when it is ended, so is the one on its way, and no further one begins. */
export class Attempts {
  ended: Error | undefined;
  /** Created only when asked for, because most calls need none. */
  #ending: AbortController | undefined;
  #current: Exchange | undefined;

  /** Aborted when the call is ended. */
  get signal(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.ended) this.#ending.abort(this.ended);
    return this.#ending.signal;
  }

  send(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions, onStart?: () => void): Promise<Answer> {
    if (this.ended) return Promise.reject(this.ended);
    this.#current = new Exchange(dispatcher, options, onStart);
    return this.#current.answer;
  }

  end(reason: Error): void {
    this.ended ??= reason;
    this.#ending?.abort(this.ended);
    this.#current?.abort(this.ended);
  }
}
