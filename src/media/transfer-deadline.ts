import { PosternError } from '../shared/errors/postern-error.ts';
import type { Runtime, Timer } from '../shared/runtime/runtime.ts';
import { MediaError } from './media-error.ts';

export interface TransferLimits {
  /**
   * The time to resolve the host, connect, and receive the first bytes of the response. It applies to each redirect
   * separately.
   */
  answerMs: number;
  /**
   * At least `windowBytes` must arrive in each window of `windowMs`. Otherwise a server could keep a connection open
   * for days by sending one byte per second.
   */
  windowMs: number;
  windowBytes: number;
  /** The time limit of the whole transfer. */
  wholeMs: number;
}

export const defaultTransferLimits: TransferLimits = {
  answerMs: 15_000,
  windowMs: 10_000,
  windowBytes: 64 * 1024,
  wholeMs: 300_000,
};

/** Aborts a transfer that stalls, is too slow or takes too long, or whose client has disconnected. */
export class TransferDeadline {
  readonly signal: AbortSignal;
  readonly #runtime: Runtime;
  readonly #limits: TransferLimits;
  readonly #controller = new AbortController();
  readonly #whole: Timer;
  readonly #caller: AbortSignal;
  #window: Timer | undefined;
  #received = 0;

  constructor(runtime: Runtime, limits: TransferLimits, caller: AbortSignal) {
    this.#runtime = runtime;
    this.#limits = limits;
    this.#caller = caller;
    this.signal = this.#controller.signal;
    this.#whole = runtime.after(limits.wholeMs, () => this.#fail('takes too long to be fetched'));
    caller.addEventListener('abort', this.#hangUp, { once: true });
    if (caller.aborted) this.#hangUp();
  }

  /** Starts the time limit for a response. Call it when a request is sent. */
  requestSent(): void {
    this.#window?.cancel();
    this.#window = this.#runtime.after(this.#limits.answerMs, () => this.#fail('does not answer in time'));
  }

  /** Starts measuring the transfer rate. Call it when the body of the response begins. */
  responseStarted(): void {
    this.#window?.cancel();
    this.#received = 0;
    this.#window = this.#runtime.after(this.#limits.windowMs, () => {
      if (this.#received < this.#limits.windowBytes) this.#fail('sends too slowly');
      else this.responseStarted();
    });
  }

  received(bytes: number): void {
    this.#received += bytes;
  }

  /** The error with which `signal` was aborted. `undefined` if it was not aborted. */
  get error(): unknown {
    return this.signal.reason;
  }

  end(): void {
    this.#whole.cancel();
    this.#window?.cancel();
    this.#caller.removeEventListener('abort', this.#hangUp);
  }

  readonly #hangUp = (): void => {
    this.#controller.abort(new PosternError('caller_hung_up', 'The caller disconnected'));
  };

  #fail(reason: string): void {
    this.#controller.abort(new MediaError(reason, { reason: 'media_not_fetched' }));
  }
}
