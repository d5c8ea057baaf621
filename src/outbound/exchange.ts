import type { Dispatcher } from 'undici';

export interface Answer {
  status: number;
  retryAfter: string | null;
  text: string;
}

export interface ExchangeOptions extends Dispatcher.DispatchOptions {
  /** The body is read up to this length; then the answer is complete, and the connection is closed. */
  maxBodyBytes?: number;
}

/**
 * One request and its response. Undici's own `request` returns a stream and takes an `AbortSignal`. This collects the body
 * and is aborted by a method, which is less work. It also ends at once: undici notices an abort only when the request has a
 * connection, and a deadline must not wait for that.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Answer>;
  readonly #onStart: (() => void) | undefined;
  readonly #maxBodyBytes: number;
  readonly #chunks: Buffer[] = [];
  #resolve: (answer: Answer) => void = () => {};
  #reject: (reason: Error) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #status = 0;
  #bytes = 0;
  #retryAfter: string | null = null;

  /** `onStart` is called when the response begins. */
  constructor(dispatcher: Dispatcher, options: ExchangeOptions, onStart?: () => void) {
    this.#onStart = onStart;
    this.#maxBodyBytes = options.maxBodyBytes ?? Number.POSITIVE_INFINITY;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    dispatcher.dispatch(options, this);
  }

  /** Ends the exchange in any state. If the response is not complete yet, `answer` rejects with the reason. */
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

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#maxBodyBytes) return;
    this.onResponseEnd();
    controller.abort(new Error('enough of the body was read'));
  }

  onResponseEnd(): void {
    const [only, ...more] = this.#chunks;
    const body = more.length === 0 ? only : Buffer.concat(this.#chunks);
    const text = body?.toString('utf8', 0, Math.min(body.length, this.#maxBodyBytes)) ?? '';
    this.#resolve({ status: this.#status, retryAfter: this.#retryAfter, text });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}
