import { PosternError } from '../shared/errors/postern-error.ts';
import type { Runtime, Timer } from '../shared/runtime/runtime.ts';
import { MediaError } from './media-error.ts';

export interface TransferLimits {
  /** Time to resolve the host, connect and receive the first bytes of the response, for each redirect. */
  answerMs: number;
  /** `windowBytes` must arrive in each window. A server that sends a byte a second would keep a connection for days. */
  windowMs: number;
  windowBytes: number;
  /** Time for the whole transfer. */
  wholeMs: number;
}

export const defaultTransferLimits: TransferLimits = {
  answerMs: 15_000,
  windowMs: 10_000,
  windowBytes: 64 * 1024,
  wholeMs: 300_000,
};

/** Aborts a transfer that stalls, is too slow, takes too long, or whose caller has hung up. */
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

  /** To be called when a request is sent. */
  asked(): void {
    this.#window?.cancel();
    this.#window = this.#runtime.after(this.#limits.answerMs, () => this.#fail('does not answer in time'));
  }

  /** To be called when the body of the response begins. */
  answered(): void {
    this.#window?.cancel();
    this.#received = 0;
    this.#window = this.#runtime.after(this.#limits.windowMs, () => {
      if (this.#received < this.#limits.windowBytes) this.#fail('sends too slowly');
      else this.answered();
    });
  }

  received(bytes: number): void {
    this.#received += bytes;
  }

  /** The error with which `signal` was aborted; `undefined` before. */
  get fault(): unknown {
    return this.signal.reason;
  }

  end(): void {
    this.#whole.cancel();
    this.#window?.cancel();
    this.#caller.removeEventListener('abort', this.#hangUp);
  }

  readonly #hangUp = (): void => {
    this.#controller.abort(new PosternError('caller_hung_up', 'The caller hung up'));
  };

  #fail(reason: string): void {
    this.#controller.abort(new MediaError(reason, { reason: 'media_not_fetched' }));
  }
}
