import { type Runtime, sleep, type Timer } from '../../shared/runtime/runtime.ts';
import type { DeliveryResult, DeliveryStore, PollerReference } from '../../store/port.ts';

const flushMs = 5;
const retryMs = 1_000;

export interface ResultWriterParts {
  deliveries: DeliveryStore;
  runtime: Runtime;
  poller: PollerReference;
  onLost: () => void;
  onFault: (error: unknown) => void;
}

/** Writes down how attempts ended, those of one moment together. */
export class ResultWriter {
  readonly #parts: ResultWriterParts;
  #noted: { result: DeliveryResult; done: () => void }[] = [];
  #timer: Timer | undefined;
  #ended = false;

  constructor(parts: ResultWriterParts) {
    this.#parts = parts;
  }

  /** Resolves once it is written down, or never will be. */
  note(result: DeliveryResult): Promise<void> {
    return new Promise((done) => {
      this.#noted.push({ result, done });
      this.#timer ??= this.#parts.runtime.after(flushMs, () => void this.#flush());
    });
  }

  /** From now on what a store that is away does not take is left: it will be delivered again by whoever comes next. */
  end(): void {
    this.#ended = true;
  }

  async #flush(): Promise<void> {
    const { deliveries, runtime, poller, onLost, onFault } = this.#parts;
    const batch = this.#noted;
    this.#noted = [];
    this.#timer = undefined;
    const results = batch.map(({ result }) => result);
    for (;;) {
      try {
        if ((await deliveries.finish(poller, results)) === 'superseded') onLost();
        break;
      } catch (error) {
        onFault(error);
        if (this.#ended) break;
        await sleep(runtime, retryMs);
      }
    }
    for (const { done } of batch) done();
  }
}
