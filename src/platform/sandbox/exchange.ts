import type { Dispatcher } from 'undici';
import { type Answer, Exchange } from '../../outbound/exchange.ts';

/** The attempts of one call. When the call ends, the running attempt is aborted and no further one begins. */
export class Attempts {
  ended: Error | undefined;
  /** Created on first use, because most calls need none. */
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
