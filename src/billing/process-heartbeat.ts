import { type Runtime, repeat, type Timer } from '../shared/runtime/runtime.ts';
import { type ProcessStore, processTtlMs } from '../store/port.ts';

/** Sends heartbeats of this process to the store, and knows how many processes share the store. */
export class ProcessHeartbeat {
  readonly #store: ProcessStore;
  readonly #id: string;
  #live = 1;
  readonly #beating: Timer;

  constructor(store: ProcessStore, runtime: Runtime) {
    this.#store = store;
    this.#id = runtime.randomBytes(12).toString('hex');
    this.#beating = repeat(runtime, processTtlMs / 3, () => this.beat());
  }

  /** Processes that share the store, as of the last beat that reached it. */
  get live(): number {
    return this.#live;
  }

  /** Sends a heartbeat now. Never throws: if the store cannot be reached, `live` keeps its value. */
  async beat(): Promise<void> {
    this.#live = await this.#store.beat(this.#id).catch(() => this.#live);
  }

  async leave(): Promise<void> {
    this.#beating.cancel();
    await this.#store.leave(this.#id).catch(() => {});
  }
}
