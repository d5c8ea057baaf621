import type { ServerResponse } from 'node:http';
import { Cancellation, type CancelSignal } from '../../../shared/runtime/cancellation.ts';
import type { Runtime } from '../../../shared/runtime/runtime.ts';

/** Aborts the reads of a request when its caller disconnects or its deadline passes. */
export class RequestLifetime {
  isLate = false;
  readonly signal = new Cancellation();
  /** Created lazily, because only writes and media use this signal. */
  #gone: Cancellation | undefined;
  readonly #timer: { cancel(): void };
  readonly #onClose: () => void;
  readonly #response: ServerResponse;

  constructor(runtime: Runtime, timeoutMs: number, response: ServerResponse) {
    this.#response = response;
    this.#onClose = () => {
      this.#gone?.abort();
      this.signal.abort();
    };
    response.once('close', this.#onClose);
    // The caller may have closed the connection while its API key was looked up.
    if (response.destroyed) this.#onClose();
    this.#timer = runtime.after(timeoutMs, () => {
      this.isLate = true;
      this.signal.abort();
    });
  }

  /** Aborted when the caller disconnects. It is not aborted at the deadline, because a write may need more time to fetch media. */
  get gone(): CancelSignal {
    if (!this.#gone) {
      this.#gone = new Cancellation();
      if (this.#response.destroyed) this.#gone.abort();
    }
    return this.#gone;
  }

  end(): void {
    this.#timer.cancel();
    this.#response.off('close', this.#onClose);
  }
}
