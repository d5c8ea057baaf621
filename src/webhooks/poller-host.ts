import { repeat, type Timer } from '../runtime/runtime.ts';
import { type PollerRecord, pollerTtlMs } from '../store/port.ts';
import { type PollerParts, RunningPoller } from './running-poller.ts';

const lookMs = 1_000;
const claimsAtOnce = 500;

export type HostParts = Omit<PollerParts, 'onLost'>;

/**
 * The pollers that this process runs: its even share of those there are. A process that joins gets some, one that leaves
 * gives its own back, and those of one that died are taken over once it was not heard of for a while.
 */
export class PollerHost {
  readonly #parts: HostParts;
  readonly #process: string;
  readonly #running = new Map<string, RunningPoller>();
  #looking: Timer | undefined;
  #round: Promise<void> = Promise.resolve();
  #beatAt: number;

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.#beatAt = parts.runtime.now();
    this.#process = parts.runtime.randomBytes(12).toString('base64url');
  }

  /** Pollers that run here, and the deliveries that they have in memory. */
  get load(): { pollers: number; deliveries: number } {
    const pollers = [...this.#running.values()];
    return { pollers: pollers.length, deliveries: pollers.reduce((sum, { backlog }) => sum + backlog, 0) };
  }

  start(): void {
    this.#looking = repeat(this.#parts.runtime, lookMs, () => {
      this.#round = this.#look().catch((error) => this.#parts.onFault(error, null));
      return this.#round;
    });
  }

  async close(): Promise<void> {
    this.#looking?.cancel();
    await this.#round;
    const running = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(running.map((poller) => poller.end()));
    await this.#parts.store.pollers.release(running.map(({ record }) => record)).catch(() => {});
    await this.#parts.store.pollers.leave(this.#process).catch(() => {});
  }

  async #look(): Promise<void> {
    const { pollers } = this.#parts.store;
    const processes = await this.#beat();
    const share = Math.ceil((await pollers.count()) / Math.max(1, processes));
    const wanted = Math.min(claimsAtOnce, share - this.#running.size);
    if (wanted > 0) for (const record of await pollers.claim(this.#process, wanted)) await this.#run(record);
    else if (this.#running.size > share) await this.#giveBack(this.#running.size - share);
    for (const id of await this.#woken()) await this.#wake(id);
  }

  /** Says that this process lives; answers how many do. One that slept may run less than it thinks. */
  async #beat(): Promise<number> {
    const { store, runtime } = this.#parts;
    const now = runtime.now();
    const processes = await store.pollers.beat(this.#process);
    const slept = now - this.#beatAt >= pollerTtlMs;
    this.#beatAt = now;
    if (slept && this.#running.size > 0) {
      const records = [...this.#running.values()].map(({ record }) => record);
      const kept = new Set(await store.pollers.confirm(this.#process, records));
      for (const { id } of records) if (!kept.has(id)) this.#drop(id);
    }
    return processes;
  }

  /** Where the store did not answer, any may have been woken. */
  async #woken(): Promise<Iterable<string>> {
    try {
      return await this.#parts.store.pollers.woken(this.#process);
    } catch (error) {
      this.#parts.onFault(error, null);
      return [...this.#running.keys()];
    }
  }

  async #run(record: PollerRecord): Promise<void> {
    void this.#running.get(record.id)?.end();
    const poller = new RunningPoller(record, { ...this.#parts, onLost: () => this.#drop(record.id) });
    this.#running.set(record.id, poller);
    await poller.refresh();
  }

  async #wake(id: string): Promise<void> {
    const running = this.#running.get(id);
    if (!running) return;
    const record = await this.#parts.store.pollers.find(running.record.account, id);
    if (record) await running.refresh(record);
    else this.#drop(id);
  }

  async #giveBack(count: number): Promise<void> {
    const surplus = [...this.#running.values()].slice(-count);
    for (const { record } of surplus) this.#running.delete(record.id);
    await Promise.all(surplus.map((poller) => poller.end()));
    await this.#parts.store.pollers.release(surplus.map(({ record }) => record));
  }

  #drop(id: string): void {
    void this.#running.get(id)?.end();
    this.#running.delete(id);
  }
}
