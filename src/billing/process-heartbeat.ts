import { type Runtime, repeat, type Timer } from '../shared/runtime/runtime.ts';
import { type ProcessStore, processTtlMs } from '../store/port.ts';

export interface HeartbeatOptions {
  store: ProcessStore;
  runtime: Runtime;
}

/** Sends heartbeats of this process to the store, and knows the number of processes that share the store. */
export class ProcessHeartbeat {
  readonly #options: HeartbeatOptions;
  readonly #id: string;
  #live = 1;
  readonly #beating: Timer;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#id = options.runtime.randomBytes(12).toString('hex');
    this.#beating = repeat(options.runtime, processTtlMs / 3, () => this.beat());
  }

  /** The number of processes that share the store, at the last successful heartbeat. */
  get live(): number {
    return this.#live;
  }

  /** Sends a heartbeat now. Never throws. If the store cannot be reached, `live` does not change. */
  async beat(): Promise<void> {
    try {
      this.#live = await this.#options.store.beat(this.#id);
    } catch {
      // An error is ignored here, because the next heartbeat may succeed.
    }
  }

  stop(): void {
    this.#beating.cancel();
  }

  /** Removes this process from the store. */
  async leave(): Promise<void> {
    await this.#options.store.leave(this.#id).catch(() => {});
  }
}
