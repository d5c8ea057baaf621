import type { Dispatcher } from 'undici';
import { type Answer, Exchange, type ExchangeOptions } from '../../outbound/exchange.ts';

/** The attempts to send one request. Ending it aborts the running attempt and prevents further ones. */
export class Attempts {
  ended: Error | undefined;
  /** Created on first use, because most requests do not need it. */
  #ending: AbortController | undefined;
  #current: Exchange | undefined;

  /** Aborted by `end`. */
  get signal(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.ended) this.#ending.abort(this.ended);
    return this.#ending.signal;
  }

  send(dispatcher: Dispatcher, options: ExchangeOptions, onStart?: () => void): Promise<Answer> {
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
