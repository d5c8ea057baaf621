import type { Dispatcher } from 'undici';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { ServerMisbehavedError } from './errors.ts';

const maxInformational = 10;
/** The number of pieces of a body that are accepted in any size. */
const uncheckedPieces = 10_000;
/** The required average size of the pieces beyond `uncheckedPieces`, in bytes. */
const minPieceBytes = 64;

/** The options of `limitResponses` and `limitExchanges`, in addition to undici's own. */
export interface LimitedDispatchOptions extends Dispatcher.DispatchOptions {
  /** Aborts waiting for a slot. */
  signal?: AbortSignal;
  /** The API account of the request. Requests without one are counted as one account. */
  account?: string;
  /** The host name of the origin, if the caller has already parsed it. */
  host?: string;
  /** Called when the exchange gets its slot. */
  onSlot?: () => void;
}

/**
 * Limits responses that take much processing time but few bytes: informational responses (1xx), and bodies in very
 * small chunks. A request whose response exceeds a limit fails with `ServerMisbehavedError`, and its connection is
 * closed.
 */
export const limitResponses: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, new LimitedResponse(handler, () => {}));

/**
 * Limits responses like `limitResponses`, and the number of simultaneous exchanges. Each exchange keeps its slot until
 * undici has finished with it, which may be later than an abort. The pool needs a connection limit per host as well:
 * undici frees a connection one turn of the event loop after the response ends, and would otherwise open another one.
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
    const refuse = (reason: unknown) => handler.onResponseError?.(unsentController, asError(reason));
    limiter.enter({ account: options.account ?? '', host: hostOf(options) }, options.signal, begin, refuse);
    return true;
  };
}

/** Returns the host name of a request's origin. */
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
    if (this.#pieces > uncheckedPieces && this.#pieces - uncheckedPieces > this.#bytes / minPieceBytes) {
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

/** The controller for a request that was refused before it reached undici. */
const unsentController: Dispatcher.DispatchController = {
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
