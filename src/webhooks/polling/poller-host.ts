import { repeat, sleep, type Timer } from '../../shared/runtime/runtime.ts';
import { type PollerRecord, pollerTtlMs } from '../../store/port.ts';
import { RunningPoller, type RunningPollerParts } from './running-poller.ts';

/** How often the process that runs a poller looks for changed and deleted webhooks. */
const lookMs = 350;
/** Pollers are counted and claimed in every so many looks. */
const looksPerClaim = 3;
const beatMs = pollerTtlMs / 3;
const claimsAtOnce = 500;
/** When the service stops, running polls and attempts get this long to end. */
const graceMs = 5_000;

/**
 * Runs the pollers of this process, which are an even share of all pollers. A new process gets some of them. A process that
 * stops gives its pollers back. The pollers of a process that died are taken over when its heartbeats are overdue.
 */
export class PollerHost {
  readonly #parts: RunningPollerParts;
  readonly #process: string;
  readonly #running = new Map<string, RunningPoller>();
  /** Pollers that are being given back, when their running work has ended. */
  readonly #leaving = new Set<RunningPoller>();
  /** Pollers that the store has reported as woken and that were not refreshed yet. */
  readonly #woken = new Set<string>();
  #looking: Timer | undefined;
  #looks = 0;
  #round: Promise<void> = Promise.resolve();
  #beatAt: number;
  /** Number of processes that run pollers, as of the last beat; 0 before the first. */
  #processes = 0;
  /** True if the store may list other pollers for this process than the ones that it runs. */
  #doubtful = false;

  constructor(parts: RunningPollerParts) {
    this.#parts = parts;
    this.#beatAt = parts.runtime.now();
    this.#process = parts.runtime.randomBytes(12).toString('base64url');
  }

  /** The number of pollers in this process and of their deliveries in memory. */
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
    // Not during a claim, because a poller whose claim has not returned yet could not be woken.
    if (this.#running.size > 0) await this.#wakeAll();
  }

  async #takeShare(): Promise<void> {
    const { pollers } = this.#parts.store;
    const total = await pollers.count();
    // A service without pollers writes no heartbeats.
    if (total === 0 && this.#running.size === 0 && this.#leaving.size === 0) return;
    const share = Math.ceil(total / Math.max(1, await this.#beat()));
    const wanted = Math.min(claimsAtOnce, share - this.#running.size);
    if (wanted > 0) for (const record of await pollers.claim(this.#process, wanted)) this.#run(record);
    else if (wanted < 0) for (const poller of [...this.#running.values()].slice(wanted)) void this.#giveBack(poller);
  }

  /**
   * Sends a heartbeat if one is due and returns the number of live processes. If this process slept or a call of the store
   * failed, also asks the store which pollers it still runs.
   */
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
      // The lost response may have named any poller.
      for (const id of this.#running.keys()) this.#woken.add(id);
      throw error;
    }
    // In parallel, so that no poller waits for the webhooks of another one.
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
