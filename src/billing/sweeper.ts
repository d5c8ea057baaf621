import { type Runtime, repeat, type Timer } from '../shared/runtime/runtime.ts';
import type { LedgerStore } from '../store/port.ts';

export interface SweeperOptions {
  store: LedgerStore;
  runtime: Runtime;
  intervalMs?: number;
  /** Hears how many holds of dead processes a sweep gave back, where there were any. */
  onSwept?: (holds: number) => void;
  /** Hears of a sweep that failed; the next one comes all the same. */
  onError?: (error: unknown) => void;
}

/** Gives back, every few seconds, what processes that died had reserved. Any number of processes may sweep one store. */
export class Sweeper {
  readonly #options: SweeperOptions;
  #timer: Timer | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    const { runtime, intervalMs = 5_000 } = this.#options;
    this.#timer ??= repeat(runtime, intervalMs, () => this.sweep());
  }

  /** Ends the rounds, and waits for the sweep that is under way. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#sweeping;
  }

  /** One round now, beside those of the clock. Never throws. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  async #sweep(): Promise<void> {
    try {
      const holds = await this.#options.store.sweep();
      if (holds > 0) this.#options.onSwept?.(holds);
    } catch (error) {
      this.#options.onError?.(error);
    }
  }
}
