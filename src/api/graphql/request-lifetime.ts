import { setMaxListeners } from 'node:events';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { GraphqlRequest } from './request.ts';

/** Aborts the reads of a request when its caller hangs up or its deadline passes. */
export class RequestLifetime {
  isLate = false;
  readonly #controller = new AbortController();
  /** Created only when asked for, because only writes and media need it. */
  #gone: AbortController | undefined;
  readonly #timer: { cancel(): void };
  readonly #onClose: () => void;
  readonly #state: GraphqlRequest;

  constructor({ runtime, timeoutMs }: { runtime: Runtime; timeoutMs: number }, state: GraphqlRequest) {
    this.#state = state;
    // Every read in flight listens, and a request may have any number of them.
    setMaxListeners(0, this.#controller.signal);
    this.#onClose = () => {
      this.#gone?.abort();
      this.#controller.abort();
    };
    state.response.once('close', this.#onClose);
    // The caller may have closed the connection while its API key was looked up.
    if (state.response.destroyed) this.#onClose();
    this.#timer = runtime.after(timeoutMs, () => {
      this.isLate = true;
      this.#controller.abort();
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborted when the caller hangs up, but not at the deadline: media that a write fetches may take longer. */
  get gone(): AbortSignal {
    if (!this.#gone) {
      this.#gone = new AbortController();
      setMaxListeners(0, this.#gone.signal);
      if (this.#state.response.destroyed) this.#gone.abort();
    }
    return this.#gone.signal;
  }

  end(): void {
    this.#timer.cancel();
    this.#state.response.off('close', this.#onClose);
  }
}
