/*
 * The events of one poller flow in one direction. Each part calls only the parts below it, which know nothing of it:
 *
 *   RunningPoller    asks the platform for a page of events
 *   EventAppender    seals the page and stores it, with a delivery for each webhook
 *     PollerMessages   opens messages with the codes of the webhooks; WaitingMessages opens later those that did not open
 *   DeliveryQueues   schedule the stored deliveries, with a DeliveryQueue for each webhook
 *     AttemptSender    signs and sends each attempt
 *   ResultWriter     stores the results of attempts
 *
 * At the bottom, PollerRun is the shared state of the run, PollerWebhooks holds the webhooks as they were last read, and
 * SendGate decides which of them may be sent to. The only calls upwards are the reports of PollerMonitor.
 */

import { PosternError } from '../../shared/errors/postern-error.ts';
import { chance, type Runtime, type Timer } from '../../shared/runtime/runtime.ts';
import type { PollerRecord, Store } from '../../store/port.ts';
import { DeliveryQueues } from '../delivery/delivery-queues.ts';
import { PollerWebhooks } from '../delivery/poller-webhooks.ts';
import type { Receivers } from '../delivery/receiver.ts';
import { ResultWriter } from '../delivery/result-writer.ts';
import type { SendGate } from '../delivery/send-gate.ts';
import { DailyCheck } from '../registration/daily-check.ts';
import type { Handshakes } from '../registration/handshakes.ts';
import type { MessageOpener } from '../shared/message-opener.ts';
import { type PlatformAccess, pollerSession } from '../shared/platform-access.ts';
import { type PollerMonitor, PollerRun } from '../shared/poller-run.ts';
import type { WebhookVault } from '../shared/secrets.ts';
import { EventAppender } from './event-appender.ts';
import { pauseAfterFaultMs, pauseMs } from './pace.ts';
import { outageReason, PlatformOutage } from './platform-outage.ts';
import { PollerMessages } from './poller-messages.ts';

const eventsAtOnce = 100;

export interface RunningPollerParts extends PlatformAccess {
  store: Store;
  vault: WebhookVault;
  receivers: Receivers;
  runtime: Runtime;
  handshakes: Handshakes;
  gate: SendGate;
  opener: MessageOpener;
  monitor: PollerMonitor;
}

/** Runs one poller: polls the platform, and connects the parts that store and deliver the events. */
export class RunningPoller {
  readonly #parts: RunningPollerParts;
  readonly #run: PollerRun;
  readonly #results: ResultWriter;
  readonly #webhooks: PollerWebhooks;
  readonly #queues: DeliveryQueues;
  readonly #messages: PollerMessages;
  readonly #appender: EventAppender;
  readonly #check: DailyCheck;
  readonly #outage: PlatformOutage;
  #cursor: string | null;
  /** True after the platform has refused the cursor. The events behind it were not read. */
  #cursorLost = false;
  #timer: Timer | undefined;
  #quietSince: number;
  #faults = 0;
  #ended = false;

  constructor(record: PollerRecord, parts: RunningPollerParts) {
    const { store, runtime, monitor } = parts;
    this.#parts = parts;
    this.#cursor = record.cursor;
    // A poller that was quiet before a restart stays quiet. Otherwise all pollers would poll at the highest rate after it.
    this.#quietSince = runtime.now() - Math.max(0, store.now() - Math.max(record.createdAt, record.appendedAt));
    const run = new PollerRun(record, monitor);
    const webhooks = new PollerWebhooks({ ...parts, run });
    this.#run = run;
    this.#webhooks = webhooks;
    this.#check = new DailyCheck(parts);
    this.#outage = new PlatformOutage({ ...parts, run });
    this.#results = new ResultWriter({ ...parts, run });
    this.#queues = new DeliveryQueues({ ...parts, webhooks, results: this.#results });
    this.#messages = new PollerMessages({ ...parts, run, webhooks, queues: this.#queues });
    this.#appender = new EventAppender({ ...parts, run, webhooks, messages: this.#messages, queues: this.#queues });
  }

  get record(): PollerRecord {
    return this.#run.record;
  }

  /** Resolves when another process runs the poller. */
  get superseded(): Promise<void> {
    return this.#run.superseded;
  }

  /** Deliveries in memory. */
  get backlog(): number {
    return this.#queues.backlog;
  }

  /** Starts the poller, with retries until the store can be read. */
  async start(): Promise<void> {
    try {
      await this.#queues.read(true);
      this.#messages.waiting.look();
      this.#pollIn(0);
    } catch (error) {
      if (this.#ended) return;
      this.#run.fault(error);
      this.#timer = this.#parts.runtime.after(this.#pauseAfterFault(), () => void this.start());
    }
  }

  /** To be called when the poller or one of its webhooks was changed, or deliveries were queued. */
  async refresh(record: PollerRecord): Promise<void> {
    this.#run.renew(record);
    this.#outage.refresh(record);
    await this.#queues.read(true);
    this.#messages.waiting.look();
    this.#quietSince = this.#parts.runtime.now();
    this.#pollIn(0);
  }

  /** Starts nothing more. Resolves when the running work has ended and its results are stored. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#timer?.cancel();
    this.#results.end();
    // Waits for the current holder of the turn.
    const turnsOver = this.#messages.waiting.end().then(() => this.#run.turn.run(async () => {}));
    await Promise.all([turnsOver, this.#queues.end()]);
    await this.#outage.end();
  }

  #pollIn(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#ended || this.#run.isStopped) return;
    this.#timer = this.#parts.runtime.after(delayMs, () => void this.#run.turn.run(() => this.#poll()));
  }

  async #poll(): Promise<void> {
    const { vault, runtime } = this.#parts;
    if (this.#ended || this.#run.isStopped) return;
    try {
      const { account } = this.#run.record;
      const page = await pollerSession(this.#parts, account, vault.openPoller(this.#run.record)).activity({
        count: eventsAtOnce,
        cursor: this.#cursor,
      });
      const { events, cursor: after } = page;
      const gap = page.gap || this.#cursorLost;
      if (events.length > 0 || this.#cursor === null || gap) {
        if (await this.#appender.append({ events, before: this.#cursor, after, gap })) {
          this.#cursor = after;
          this.#cursorLost = false;
        }
      }
      this.#faults = 0;
      this.#outage.worked();
      this.#check.run(this.#webhooks.all).catch(this.#run.fault);
      if (events.length > 0) this.#quietSince = runtime.now();
      const quietMs = runtime.now() - this.#quietSince;
      this.#pollIn(events.length === eventsAtOnce ? 0 : pauseMs(quietMs, chance(runtime)));
    } catch (error) {
      await this.#afterFault(error);
    }
  }

  async #afterFault(error: unknown): Promise<void> {
    const known = error instanceof PosternError ? error : null;
    if (known?.code === 'bad_input' && this.#cursor !== null) {
      // The platform refuses the cursor, so polling continues with new events.
      this.#cursor = null;
      this.#cursorLost = true;
      return this.#pollIn(0);
    }
    const { proxy } = this.#parts.vault.openPoller(this.#run.record);
    const outage = outageReason(error, proxy !== null);
    if (outage !== null) this.#outage.failed(outage);
    const isRefused = known?.code === 'forbidden' || known?.code === 'bad_input' || known?.code === 'not_supported';
    if (isRefused && outage === null) {
      try {
        this.#outage.worked();
        return await this.#stop(known.message);
      } catch (fault) {
        this.#run.fault(fault);
      }
    } else this.#run.fault(error);
    this.#pollIn(this.#pauseAfterFault(known?.retryAfterSeconds));
  }

  #pauseAfterFault(retryAfterSeconds?: number): number {
    return pauseAfterFaultMs(this.#faults++, retryAfterSeconds, chance(this.#parts.runtime));
  }

  /**
   * Stops polling, because the platform would refuse these credentials again. The owner of the webhooks sees the reason in
   * `last_error`.
   */
  async #stop(reason: string): Promise<void> {
    const { store } = this.#parts;
    const { account, id, fence } = this.#run.record;
    if (!(await store.pollers.stop(this.#run.record, reason))) {
      const now = await store.pollers.find(account, id);
      if (now?.fence !== fence) return this.#run.supersede();
      // A request has stored the credentials again meanwhile, so they must be tried.
      return this.refresh(now);
    }
    this.#run.stop();
  }
}
