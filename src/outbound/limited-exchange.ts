import type { Dispatcher } from 'undici';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { ServerMisbehavedError } from './faults.ts';

const maxInformational = 10;
/** A body of this many pieces is accepted, however small they are. */
const freePieces = 10_000;
/** Pieces beyond `freePieces` must have this size on average. */
const minPieceBytes = 64;

/** Options of these interceptors, besides undici's own. */
export interface LimitedDispatchOptions extends Dispatcher.DispatchOptions {
  /** Gives up waiting for a slot. */
  signal?: AbortSignal;
  /** The account that pays. Requests without one share the slots of one account. */
  account?: string;
  /** The host name of the origin, if it is known already. */
  host?: string;
  /** Called when the exchange has its slot. */
  onSlot?: () => void;
}

/**
 * Limits what costs time but few bytes: informational responses (1xx), and bodies in tiny chunks. If a server exceeds these
 * limits, its request fails with `ServerMisbehavedError`, and its connection is closed.
 */
export const limitResponses: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, new LimitedResponse(handler, () => {}));

/**
 * Limits responses as above. Each exchange also waits for a slot of the limiter and holds it until undici has finished with it.
 * For an aborted exchange that can be later than for its caller. The pool must have the limit of a host too, because undici frees
 * a connection one turn after the end of the response and would open another one for the next exchange.
 */
export function limitExchanges(
  limiter: ConnectionLimiter,
  hostOf: (options: LimitedDispatchOptions) => string,
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options: LimitedDispatchOptions, handler) => {
    const begin = (leave: () => void) => {
      options.onSlot?.();
      dispatch(limiter.crowded ? { ...options, reset: true } : options, new LimitedResponse(handler, leave));
    };
    const refuse = (reason: unknown) => handler.onResponseError?.(unsent, asError(reason));
    limiter.enter({ account: options.account ?? '', host: hostOf(options) }, options.signal, begin, refuse);
    return true;
  };
}

/** The host name of a request's origin. */
export function originHost({ origin = '', host }: LimitedDispatchOptions): string {
  return host ?? new URL(origin).hostname;
}

class LimitedResponse implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #leave: () => void;
  #informational = 0;
  #pieces = 0;
  #bytes = 0;

  constructor(handler: Dispatcher.DispatchHandler, leave: () => void) {
    this.#handler = handler;
    this.#leave = leave;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[]>,
    statusMessage?: string,
  ): void {
    if (status < 200) this.#countInformational(controller);
    else this.#handler.onResponseStart?.(controller, status, headers, statusMessage);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#pieces += 1;
    this.#bytes += chunk.length;
    if (this.#pieces > freePieces && this.#pieces - freePieces > this.#bytes / minPieceBytes) {
      controller.abort(new ServerMisbehavedError('sends its response in too many pieces'));
    } else this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: Record<string, string | string[]>): void {
    this.#leave();
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#leave();
    this.#handler.onResponseError?.(controller, error);
  }

  #countInformational(controller: Dispatcher.DispatchController): void {
    this.#informational += 1;
    if (this.#informational <= maxInformational) return;
    controller.abort(new ServerMisbehavedError('sends informational responses without an end'));
  }
}

/** The controller of a request that was refused before it reached undici. */
const unsent: Dispatcher.DispatchController = {
  aborted: true,
  paused: false,
  reason: null,
  abort() {},
  pause() {},
  resume() {},
};

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
