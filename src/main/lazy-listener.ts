import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { handle, localsOf } from '../api/http/request-locals.ts';
import { sendError } from '../api/rest/envelope.ts';
import { asPosternError } from '../shared/errors/postern-error.ts';
import type { Logger } from '../shared/observability/logger.ts';

type Listener<Rest extends unknown[]> = (request: IncomingMessage, response: ServerResponse, ...rest: Rest) => void;

const ignore = () => {};

/** A listener whose code is loaded at the first request. */
export interface LazyListener<Rest extends unknown[], L> {
  readonly listener: Listener<Rest>;
  /** Loads the code. If that fails, responds with an error and returns `undefined`. */
  load(response: ServerResponse): Promise<L | undefined>;
  /** Loads the code before the first request. If that fails, the first request tries again. */
  warmUp(): Promise<void>;
}

/**
 * Creates a listener that is loaded with `load` at the first request. `name` says in the log what cannot be loaded. `pieces` loads parts of
 * the code in the order in which they need each other, because a module that is loaded with all that it needs stops the event loop for 200 ms.
 */
export function lazyListener<Rest extends unknown[], Extra>(
  name: string,
  logger: Logger,
  pieces: readonly (() => Promise<unknown>)[],
  load: () => Promise<Listener<Rest> & Extra>,
): LazyListener<Rest, Listener<Rest> & Extra> {
  let loaded: (Listener<Rest> & Extra) | undefined;
  let loading: Promise<Listener<Rest> & Extra> | undefined;
  const loadInPieces = async () => {
    for (const piece of pieces) {
      await piece();
      await nextTurn();
    }
    return load();
  };
  const loadOnce = async () => {
    try {
      loading ??= loadInPieces();
      loaded = await loading;
      return loaded;
    } catch (error) {
      // The next request tries again, because the cause may be temporary, such as too many open files.
      loading = undefined;
      throw error;
    }
  };
  const loadFor = async (response: ServerResponse) => {
    try {
      return await loadOnce();
    } catch (error) {
      logger.error({ err: error }, `${name} cannot be loaded`);
      sendError(response, asPosternError(error));
      return undefined;
    }
  };
  const listener: Listener<Rest> = (request, response, ...rest) => {
    if (loaded !== undefined) return loaded(request, response, ...rest);
    void handle(response, async () => {
      const ready = await loadFor(response);
      if (ready === undefined) return;
      ready(request, response, ...rest);
      // The loaded listener has replaced `handled` with the promise of its own work.
      await localsOf(response).handled;
    });
  };
  return { listener, load: loadFor, warmUp: () => loadOnce().then(ignore, ignore) };
}
