import { repeat, sleep, type Timer } from '../../shared/runtime/runtime.ts';
import { type PollerRecord, pollerTtlMs, type WebhookRecord } from '../../store/port.ts';
import { DeliveryReader } from '../delivery/delivery-reader.ts';
import { EventAllowances, type EventLimits } from '../shared/event-allowance.ts';
import { LongPollSlots } from './long-polls.ts';
import { AccountBackoff } from './poll-delays.ts';
import { type PollerServices, RunningPoller, type SharedLimits } from './running-poller.ts';

/** The interval in milliseconds at which the process that runs a poller asks for changed and deleted webhooks. */
const roundMs = 350;
/** The number of rounds between two counts and claims of pollers. */
const roundsPerClaim = 3;
const heartbeatMs = pollerTtlMs / 3;
const claimsAtOnce = 500;
/**
 * The pause in milliseconds between two counts of all pollers, for each poller. A count reads all of them, so without a pause many processes
 * with many pollers would keep the database busy.
 */
const pausePerPollerMs = 0.1;
/** From this number of pollers on, counts are rarer than claims. */
const manyPollers = (roundMs * roundsPerClaim) / pausePerPollerMs;
/** The time in milliseconds that running polls and attempts get to finish when the service stops. */
const graceMs = 5_000;

/**
 * Runs the pollers of this process. The pollers are distributed evenly over all processes: a new process gets some of them, and a process
 * that stops gives its pollers back. The pollers of a crashed process are taken over when its heartbeats are overdue.
 */
export class PollerHost {
  readonly #services: PollerServices;
  readonly #limits: SharedLimits;
  readonly #process: string;
  readonly #running = new Map<string, RunningPoller>();
  /** Pollers that will be given back when their running work has ended. */
  readonly #leaving = new Set<RunningPoller>();
  /** Pollers that the store has reported as changed and that were not refreshed yet. */
  readonly #notified = new Set<string>();
  #timer: Timer | undefined;
  #rounds = 0;
  #round: Promise<void> = Promise.resolve();
  #heartbeatAt: number;
  /** The number of all pollers at the last count, and the time of this count. */
  #total = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  /** The number of processes that run pollers, at the last heartbeat; 0 before the first. */
  #processes = 0;
  /** True if the pollers that the store assigns to this process may differ from those that this process runs. */
  #doubtful = false;

  constructor(services: PollerServices, eventLimits: EventLimits) {
    const { runtime, platform } = services;
    const now = () => runtime.now();
    this.#services = services;
    this.#limits = {
      longPollSlots: new LongPollSlots(platform.maxWaitingCalls),
      allowances: new EventAllowances(eventLimits, now),
      backoff: new AccountBackoff(now),
      reader: new DeliveryReader(services),
    };
    this.#heartbeatAt = runtime.now();
    this.#process = runtime.randomBytes(12).toString('base64url');
  }

  /** The number of pollers in this process and of their deliveries in memory. */
  get load(): { pollers: number; deliveries: number } {
    const pollers = [...this.#running.values()];
    return { pollers: pollers.length, deliveries: pollers.reduce((sum, { backlog }) => sum + backlog, 0) };
  }

  /** The webhooks of the pollers in this process, as they were last read. */
  get webhooks(): WebhookRecord[] {
    return [...this.#running.values()].flatMap(({ webhooks }) => webhooks);
  }

  start(): void {
    this.#timer = repeat(this.#services.runtime, roundMs, () => {
      this.#round = this.#runRound().catch((error) => {
        this.#doubtful = true;
        this.#services.monitor.failed(error, null);
      });
      return this.#round;
    });
  }

  async close(): Promise<void> {
    const { store, runtime } = this.#services;
    this.#timer?.cancel();
    await this.#round;
    const all = [...this.#running.values(), ...this.#leaving];
    this.#running.clear();
    await Promise.race([Promise.all(all.map((poller) => poller.end())), sleep(runtime, graceMs)]);
    await store.pollers.release(all.map(({ record }) => record)).catch(() => {});
    await store.pollers.leave(this.#process).catch(() => {});
  }

  async #runRound(): Promise<void> {
    if (this.#rounds++ % roundsPerClaim === 0) await this.#balance();
    // Does not run during a claim, because a poller whose claim has not returned yet could not be refreshed.
    if (this.#running.size > 0) await this.#refreshNotified();
  }

  async #balance(): Promise<void> {
    const { pollers } = this.#services.store;
    await this.#count();
    // A service without pollers sends no heartbeats.
    if (this.#total === 0 && this.#running.size === 0 && this.#leaving.size === 0) return;
    const share = Math.ceil(this.#total / Math.max(1, await this.#heartbeat()));
    // New pollers would wait for the next count if no process took more than its share.
    const tolerance = this.#total > manyPollers ? Math.ceil(share / 100) : 0;
    const wanted = Math.min(claimsAtOnce, share + tolerance - this.#running.size);
    if (wanted > 0) for (const record of await pollers.claim(this.#process, wanted)) this.#run(record);
    else if (wanted < 0) {
      const surplus = share - this.#running.size;
      for (const poller of [...this.#running.values()].slice(surplus)) void this.#release(poller);
    }
  }

  async #count(): Promise<void> {
    const { store, runtime } = this.#services;
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
  async #heartbeat(): Promise<number> {
    const { store, runtime } = this.#services;
    const now = runtime.now();
    // The clock may have been set back.
    const elapsedMs = Math.abs(now - this.#heartbeatAt);
    if (this.#processes > 0 && !this.#doubtful && elapsedMs < heartbeatMs) return this.#processes;
    this.#processes = await store.pollers.beat(this.#process);
    const slept = elapsedMs >= pollerTtlMs;
    this.#heartbeatAt = now;
    if (slept || this.#doubtful) {
      const records = [...this.#running.values(), ...this.#leaving].map(({ record }) => record);
      const kept = new Set(await store.pollers.confirm(this.#process, records));
      for (const [id, poller] of this.#running) if (!kept.has(id)) this.#drop(poller);
      this.#doubtful = false;
    }
    return this.#processes;
  }

  async #refreshNotified(): Promise<void> {
    try {
      for (const id of await this.#services.store.pollers.woken(this.#process)) this.#notified.add(id);
    } catch (error) {
      // The lost response may have contained any poller, so all pollers are refreshed.
      for (const id of this.#running.keys()) this.#notified.add(id);
      throw error;
    }
    // The pollers are refreshed in parallel, so that no poller waits for the webhooks of another one.
    const refreshes = [...this.#notified].map(async (id) => {
      await this.#refresh(id);
      this.#notified.delete(id);
    });
    const failed = (await Promise.allSettled(refreshes)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #refresh(id: string): Promise<void> {
    const running = this.#running.get(id);
    if (!running) return;
    const { account, fence } = running.record;
    const record = await this.#services.store.pollers.find(account, id);
    if (record?.fence === fence) await running.refresh(record);
    else this.#drop(running);
  }

  #run(record: PollerRecord): void {
    const before = this.#running.get(record.id);
    if (before) this.#drop(before);
    const poller = new RunningPoller(record, this.#services, this.#limits);
    void poller.superseded.then(() => this.#drop(poller));
    this.#running.set(record.id, poller);
    void poller.start();
  }

  async #release(poller: RunningPoller): Promise<void> {
    this.#running.delete(poller.record.id);
    this.#leaving.add(poller);
    await poller.end();
    await this.#services.store.pollers.release([poller.record]).catch((error) => {
      this.#doubtful = true;
      this.#services.monitor.failed(error, poller.record);
    });
    this.#leaving.delete(poller);
  }

  #drop(poller: RunningPoller): void {
    void poller.end();
    if (this.#running.get(poller.record.id) === poller) this.#running.delete(poller.record.id);
  }
}
