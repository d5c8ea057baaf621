import { sleep } from '../../shared/runtime/runtime.ts';
import type { DeliveryResult } from '../../store/port.ts';
import type { EventAllowances } from '../shared/event-allowance.ts';
import type { PollerRun } from './poller-run.ts';

/** Results are collected for this time. A commit costs as much as many results, and a result that a crash loses is delivered again. */
const collectMs = 20;
const retryMs = 1_000;

interface Batch {
  readonly results: DeliveryResult[];
  /** Resolves when the results are stored, or when they are discarded after `end`. */
  readonly stored: Promise<void>;
}

/** Stores the results of delivery attempts in batches, one batch at a time. */
export class ResultWriter {
  readonly #run: PollerRun;
  readonly #allowances: Pick<EventAllowances, 'mayStore'>;
  /** The results that are being collected. */
  #next: Batch | null = null;
  #writing: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(run: PollerRun, allowances: Pick<EventAllowances, 'mayStore'>) {
    this.#run = run;
    this.#allowances = allowances;
  }

  /** Resolves when the result is stored, or when it is discarded after `end`. All results of a batch share the promise. */
  write(result: DeliveryResult): Promise<void> {
    this.#next ??= this.#begin();
    const { exchange } = result;
    const mayStore = exchange === null || this.#allowances.mayStore(this.#run.record, exchange.length);
    this.#next.results.push(mayStore ? result : { ...result, exchange: null });
    return this.#next.stored;
  }

  /** From now on, discards results that cannot be stored at once. The next process that runs the poller will deliver these events again. */
  end(): void {
    this.#ended = true;
  }

  #begin(): Batch {
    const results: DeliveryResult[] = [];
    const collected = Promise.all([this.#writing, sleep(this.#run.runtime, collectMs)]);
    const stored = collected.then(() => {
      this.#next = null;
      return this.#store(results);
    });
    this.#writing = stored;
    return { results, stored };
  }

  async #store(results: readonly DeliveryResult[]): Promise<void> {
    const run = this.#run;
    for (;;) {
      try {
        if ((await run.store.deliveries.finish(run.record, results)) === 'superseded') run.supersede();
        return;
      } catch (error) {
        run.failure(error);
        if (this.#ended) return;
        await sleep(run.runtime, retryMs);
      }
    }
  }
}
