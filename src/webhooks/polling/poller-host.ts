import { repeat, sleep, type Timer } from '../../shared/runtime/runtime.ts';
import { FairQueue } from '../../shared/threads/fair-queue.ts';
import { type PollerRecord, pollerTtlMs } from '../../store/port.ts';
import { deliveryReads, EventBodies } from '../delivery/event-bodies.ts';
import { EventAllowances, type EventLimits } from '../shared/event-allowance.ts';
import { WaitSlots } from './activity-waits.ts';
import { RefusedResponses } from './refused-responses.ts';
import { RunningPoller, type RunningPollerParts } from './running-poller.ts';

/** The interval in milliseconds at which the process that runs a poller looks for changed and deleted webhooks. */
const lookMs = 350;
/** The number of looks between two rounds of counting and claiming pollers. */
const looksPerClaim = 3;
const beatMs = pollerTtlMs / 3;
const claimsAtOnce = 500;
/**
 * The pause in milliseconds between two counts of all pollers, for each poller. A count reads all of them, so without a pause many processes
 * with many pollers would keep the database busy.
 */
const pausePerPollerMs = 0.1;
/** From this number of pollers on, counts are rarer than claims. */
const manyPollers = (lookMs * looksPerClaim) / pausePerPollerMs;
/** The time in milliseconds that running polls and attempts get to finish when the service stops. */
const graceMs = 5_000;

/**
 * Runs the pollers of this process. The pollers are distributed evenly over all processes: a new process gets some of them, and a process
 * that stops gives its pollers back. The pollers of a crashed process are taken over when its heartbeats are overdue.
 */
export class PollerHost {
  readonly #parts: RunningPollerParts;
  readonly #process: string;
  readonly #running = new Map<string, RunningPoller>();
  /** Pollers that will be given back when their running work has ended. */
  readonly #leaving = new Set<RunningPoller>();
  /** Pollers that the store has reported as changed and that were not refreshed yet. */
  readonly #woken = new Set<string>();
  #looking: Timer | undefined;
  #looks = 0;
  #round: Promise<void> = Promise.resolve();
  #beatAt: number;
  /** The number of all pollers at the last count, and the time of this count. */
  #total = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  /** The number of processes that run pollers, at the last heartbeat; 0 before the first. */
  #processes = 0;
  /** True if the pollers that the store assigns to this process may differ from those that this process runs. */
  #doubtful = false;

  constructor(
    parts: Omit<RunningPollerParts, 'waitSlots' | 'allowances' | 'bodies' | 'reads' | 'refusedResponses'> & {
      eventLimits: EventLimits;
    },
  ) {
    const now = () => parts.runtime.now();
    const reads = new FairQueue(deliveryReads);
    this.#parts = {
      ...parts,
      waitSlots: new WaitSlots(parts.platform.maxWaitingCalls),
      allowances: new EventAllowances(parts.eventLimits, now),
      bodies: new EventBodies({ ...parts, reads }),
      reads,
      refusedResponses: new RefusedResponses(now),
    };
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
        this.#parts.monitor.failed(error, null);
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
    // Does not run during a claim, because a poller whose claim has not returned yet could not be refreshed.
    if (this.#running.size > 0) await this.#wakeAll();
  }

  async #takeShare(): Promise<void> {
    const { pollers } = this.#parts.store;
    await this.#count();
    // A service without pollers sends no heartbeats.
    if (this.#total === 0 && this.#running.size === 0 && this.#leaving.size === 0) return;
    const share = Math.ceil(this.#total / Math.max(1, await this.#beat()));
    // New pollers would wait for the next count if no process took more than its share.
    const spare = this.#total > manyPollers ? Math.ceil(share / 100) : 0;
    const wanted = Math.min(claimsAtOnce, share + spare - this.#running.size);
    if (wanted > 0) for (const record of await pollers.claim(this.#process, wanted)) this.#run(record);
    else if (wanted < 0) {
      const surplus = share - this.#running.size;
      for (const poller of [...this.#running.values()].slice(surplus)) void this.#giveBack(poller);
    }
  }

  async #count(): Promise<void> {
    const { store, runtime } = this.#parts;
    const sinceMs = runtime.now() - this.#countedAt;
    // The clock may have been set back.
    if (sinceMs >= 0 && sinceMs < this.#total * pausePerPollerMs) return;
    this.#total = await store.pollers.count();
    this.#countedAt = runtime.now();
  }

  /**
   * Sends a heartbeat if one is due. Returns the number of live processes. If this process was suspended or a store call failed, also asks
   * the store which pollers it still runs.
   */
  async #beat(): Promise<number> {
    const { store, runtime } = this.#parts;
    const now = runtime.now();
    // The clock may have been set back.
    const elapsedMs = Math.abs(now - this.#beatAt);
    if (this.#processes > 0 && !this.#doubtful && elapsedMs < beatMs) return this.#processes;
    this.#processes = await store.pollers.beat(this.#process);
    const slept = elapsedMs >= pollerTtlMs;
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
      // The lost response may have contained any poller, so all pollers are refreshed.
      for (const id of this.#running.keys()) this.#woken.add(id);
      throw error;
    }
    // The pollers are refreshed in parallel, so that no poller waits for the webhooks of another one.
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
      this.#parts.monitor.failed(error, poller.record);
    });
    this.#leaving.delete(poller);
  }

  #drop(poller: RunningPoller): void {
    void poller.end();
    if (this.#running.get(poller.record.id) === poller) this.#running.delete(poller.record.id);
  }
}
