import { type Runtime, sleep, type Timer } from '../../shared/runtime/runtime.ts';
import type { DeliveryResult, Store } from '../../store/port.ts';
import type { PollerRun } from '../shared/poller-run.ts';

const flushMs = 5;
const retryMs = 1_000;

export interface ResultWriterParts {
  store: Store;
  runtime: Runtime;
  run: PollerRun;
}

/** Stores the results of attempts, in batches of a few milliseconds. */
export class ResultWriter {
  readonly #parts: ResultWriterParts;
  #noted: { result: DeliveryResult; done: () => void }[] = [];
  #timer: Timer | undefined;
  #ended = false;

  constructor(parts: ResultWriterParts) {
    this.#parts = parts;
  }

  /** Resolves when the result is stored, or is discarded after `end`. */
  write(result: DeliveryResult): Promise<void> {
    return new Promise((done) => {
      this.#noted.push({ result, done });
      this.#timer ??= this.#parts.runtime.after(flushMs, () => void this.#flush());
    });
  }

  /**
   * From now on, results that cannot be stored at once are discarded. The next process that runs the poller delivers these
   * events again.
   */
  end(): void {
    this.#ended = true;
  }

  async #flush(): Promise<void> {
    const { store, runtime, run } = this.#parts;
    const batch = this.#noted;
    this.#noted = [];
    this.#timer = undefined;
    const results = batch.map(({ result }) => result);
    for (;;) {
      try {
        if ((await store.deliveries.finish(run.record, results)) === 'superseded') run.supersede();
        break;
      } catch (error) {
        run.fault(error);
        if (this.#ended) break;
        await sleep(runtime, retryMs);
      }
    }
    for (const { done } of batch) done();
  }
}
