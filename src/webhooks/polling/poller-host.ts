import { repeat, sleep, type Timer } from '../../shared/runtime/runtime.ts';
import { type PollerRecord, pollerTtlMs } from '../../store/port.ts';
import { RunningPoller, type RunningPollerParts } from './running-poller.ts';

/** How soon a change of a webhook, its deletion among them, reaches the process that runs its poller. */
const lookMs = 350;
/** Pollers are counted and claimed in every so many looks. */
const looksPerClaim = 3;
const beatMs = pollerTtlMs / 3;
const claimsAtOnce = 500;
/** For what is under way when the service stops. */
const graceMs = 5_000;

/**
 * The pollers that this process runs: its even share of those there are. A process that joins gets some, one that leaves
 * gives its own back, and those of one that died are taken over once it was not heard of for a while.
 */
export class PollerHost {
  readonly #parts: RunningPollerParts;
  readonly #process: string;
  readonly #running = new Map<string, RunningPoller>();
  /** Given back once what is under way is over. */
  readonly #leaving = new Set<RunningPoller>();
  /** Told to be woken, and not yet. */
  readonly #woken = new Set<string>();
  #looking: Timer | undefined;
  #looks = 0;
  #round: Promise<void> = Promise.resolve();
  #beatAt: number;
  /** That run pollers, as of the last beat; 0 before the first. */
  #processes = 0;
  /** The store may think otherwise of what runs here. */
  #doubtful = false;

  constructor(parts: RunningPollerParts) {
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
      this.#round = this.#look().catch((error) => {
        this.#doubtful = true;
        this.#parts.monitor.fault(error, null);
      });
      return this.#round;
    });
  }

  async close(): Promise<void> {
    const { store, runtime } = this.#parts;
    this.#looking?.cancel();
    await this.#round;
    const all = [...this.#running.values(), ...this.#leaving];
    this.#running.clear();
    await Promise.race([Promise.all(all.map((poller) => poller.end())), sleep(runtime, graceMs)]);
    await store.pollers.release(all.map(({ record }) => record)).catch(() => {});
    await store.pollers.leave(this.#process).catch(() => {});
  }

  async #look(): Promise<void> {
    if (this.#looks++ % looksPerClaim === 0) await this.#takeShare();
    // Only when nothing is being claimed: a poller that this process has not heard of yet could not be woken.
    if (this.#running.size > 0) await this.#wakeAll();
  }

  async #takeShare(): Promise<void> {
    const { pollers } = this.#parts.store;
    const total = await pollers.count();
    // Nothing is written for nobody: an idle service leaves the disk alone.
    if (total === 0 && this.#running.size === 0 && this.#leaving.size === 0) return;
    const share = Math.ceil(total / Math.max(1, await this.#beat()));
    const wanted = Math.min(claimsAtOnce, share - this.#running.size);
    if (wanted > 0) for (const record of await pollers.claim(this.#process, wanted)) this.#run(record);
    else if (wanted < 0) for (const poller of [...this.#running.values()].slice(wanted)) void this.#giveBack(poller);
  }

  /** Says that this process lives; answers how many do. One that slept, or heard no answer, may run other than it thinks. */
  async #beat(): Promise<number> {
    const { store, runtime } = this.#parts;
    const now = runtime.now();
    if (this.#processes > 0 && !this.#doubtful && now - this.#beatAt < beatMs) return this.#processes;
    this.#processes = await store.pollers.beat(this.#process);
    const slept = now - this.#beatAt >= pollerTtlMs;
    this.#beatAt = now;
    if (slept || this.#doubtful) {
      const records = [...this.#running.values(), ...this.#leaving].map(({ record }) => record);
      const kept = new Set(await store.pollers.confirm(this.#process, records));
      for (const [id, poller] of this.#running) if (!kept.has(id)) this.#drop(poller);
      this.#doubtful = false;
    }
    return this.#processes;
  }

  async #wakeAll(): Promise<void> {
    try {
      for (const id of await this.#parts.store.pollers.woken(this.#process)) this.#woken.add(id);
    } catch (error) {
      // Any may have been woken.
      for (const id of this.#running.keys()) this.#woken.add(id);
      throw error;
    }
    // All at once, so that none waits for another one's webhooks.
    const wakings = [...this.#woken].map(async (id) => {
      await this.#wake(id);
      this.#woken.delete(id);
    });
    const failed = (await Promise.allSettled(wakings)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #wake(id: string): Promise<void> {
    const running = this.#running.get(id);
    if (!running) return;
    const { account, fence } = running.record;
    const record = await this.#parts.store.pollers.find(account, id);
    if (record?.fence === fence) await running.refresh(record);
    else this.#drop(running);
  }

  #run(record: PollerRecord): void {
    const before = this.#running.get(record.id);
    if (before) this.#drop(before);
    const poller = new RunningPoller(record, this.#parts);
    void poller.superseded.then(() => this.#drop(poller));
    this.#running.set(record.id, poller);
    void poller.start();
  }

  async #giveBack(poller: RunningPoller): Promise<void> {
    this.#running.delete(poller.record.id);
    this.#leaving.add(poller);
    await poller.end();
    await this.#parts.store.pollers.release([poller.record]).catch((error) => {
      this.#doubtful = true;
      this.#parts.monitor.fault(error, poller.record);
    });
    this.#leaving.delete(poller);
  }

  #drop(poller: RunningPoller): void {
    void poller.end();
    if (this.#running.get(poller.record.id) === poller) this.#running.delete(poller.record.id);
  }
}
