import { type Runtime, repeat, type Timer } from '../shared/runtime/runtime.ts';
import { type ProcessStore, processTtlMs } from '../store/port.ts';

export interface HeartbeatOptions {
  store: ProcessStore;
  runtime: Runtime;
  /** The id of this process in the store. The default is a random id. */
  id?: string | undefined;
  /** Called after every successful heartbeat with the number of processes that share the store. */
  onBeat?: ((live: number) => void) | undefined;
}

/** Sends heartbeats of this process to the store, and knows the number of processes that share the store. */
export class ProcessHeartbeat {
  readonly #options: HeartbeatOptions;
  readonly #id: string;
  #live = 1;
  readonly #beating: Timer;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#id = options.id ?? options.runtime.randomBytes(12).toString('hex');
    this.#beating = repeat(options.runtime, processTtlMs / 3, () => this.beat());
  }

  /** The number of processes that share the store, at the last successful heartbeat. */
  get live(): number {
    return this.#live;
  }

  /** Sends a heartbeat now. Never throws. If the store cannot be reached, `live` does not change. */
  async beat(): Promise<void> {
    const { store, onBeat } = this.#options;
    try {
      this.#live = await store.beat(this.#id);
      onBeat?.(this.#live);
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
