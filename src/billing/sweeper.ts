import { type Runtime, repeat, type Timer } from '../shared/runtime/runtime.ts';
import type { LedgerStore } from '../store/port.ts';

export interface SweeperOptions {
  store: LedgerStore;
  runtime: Runtime;
  intervalMs?: number;
  /** Called with the number of expired holds after a sweep that found any. */
  onSwept?: (holds: number) => void;
  /** Called after a failed sweep. The next sweep runs as usual. */
  onError?: (error: unknown) => void;
}

/** Returns the credit that dead processes had reserved, every few seconds. Any number of processes may sweep the same store. */
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

  /** Stops sweeping and waits for a running sweep. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#sweeping;
  }

  /** Runs a sweep now. Never throws. */
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
