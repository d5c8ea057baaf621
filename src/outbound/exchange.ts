import type { Dispatcher } from 'undici';

export interface Answer {
  status: number;
  retryAfter: string | null;
  /** The value of `ratelimit-reset` (draft-ietf-httpapi-ratelimit-headers) or `x-rate-limit-reset`, in the unit of the server. */
  rateLimitReset: string | null;
  /** The value of `x-rate-limit-remaining`. */
  rateLimitRemaining: string | null;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body. Its reader decodes it, because the garbage collector would copy a string that waits for its reader. */
  body: Buffer;
}

export interface ExchangeOptions extends Dispatcher.DispatchOptions {
  /** The maximum length of the response body in bytes. A longer body is truncated, and its connection is closed. */
  maxBodyBytes?: number;
  /** Called once if the body has more than `largeBodyBytes`. The rest is read after the returned promise has resolved. */
  onLargeBody?: (() => Promise<void>) | undefined;
}

/** Up to this number of bytes, a body is read without calling `onLargeBody`. */
const largeBodyBytes = 256 * 1024;

/**
 * One request and its response. It differs from undici's `request` in three ways. It collects the body, it is aborted
 * by a method instead of an `AbortSignal`, and an abort takes effect at once, even before the request has a connection.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Answer>;
  readonly #onStart: (() => void) | undefined;
  readonly #maxBodyBytes: number;
  #onLargeBody: ExchangeOptions['onLargeBody'];
  readonly #chunks: Buffer[] = [];
  #resolve: (answer: Answer) => void = () => {};
  #reject: (reason: Error) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #status = 0;
  #bytes = 0;
  #headers: Record<string, string | string[] | undefined> = {};

  /** `onStart` is called when the response begins. */
  constructor(dispatcher: Dispatcher, options: ExchangeOptions, onStart?: () => void) {
    this.#onStart = onStart;
    this.#maxBodyBytes = options.maxBodyBytes ?? Number.POSITIVE_INFINITY;
    this.#onLargeBody = options.onLargeBody;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    dispatcher.dispatch(options, this);
  }

  /** Aborts the exchange. If the response is not complete, `answer` rejects with the reason. */
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
    this.#headers = headers;
    this.#onStart?.();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= this.#maxBodyBytes) {
      this.onResponseEnd();
      controller.abort(new Error('enough of the body was read'));
    } else if (this.#bytes > largeBodyBytes) this.#waitForTurn(controller);
  }

  #header(name: string): string | null {
    const value = this.#headers[name];
    return typeof value === 'string' ? value : null;
  }

  #waitForTurn(controller: Dispatcher.DispatchController): void {
    const wait = this.#onLargeBody;
    if (!wait) return;
    this.#onLargeBody = undefined;
    controller.pause();
    wait().then(
      () => controller.resume(),
      (error) => this.abort(error),
    );
  }

  onResponseEnd(): void {
    const [only = Buffer.alloc(0), ...more] = this.#chunks;
    const body = more.length === 0 ? only : Buffer.concat(this.#chunks);
    this.#resolve({
      status: this.#status,
      retryAfter: this.#header('retry-after'),
      rateLimitReset: this.#header('ratelimit-reset') ?? this.#header('x-rate-limit-reset'),
      rateLimitRemaining: this.#header('x-rate-limit-remaining'),
      headers: this.#headers,
      body: body.subarray(0, this.#maxBodyBytes),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}
