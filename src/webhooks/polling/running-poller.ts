/*
 * The events of one poller flow in one direction. Each part calls only the parts below it, which know nothing of it:
 *
 *   RunningPoller    decides when to poll, and what to do after a failure
 *   ActivitySource   reads a page of events; LongPolls decides whether the platform may hold the request
 *   EventAppender    seals the page and stores it, with a delivery for each webhook
 *     PollerMessages   opens messages with the codes of the webhooks, now or later
 *   DeliveryQueues   schedule the stored deliveries, with a DeliveryQueue for each webhook
 *     AttemptSender    signs and sends each attempt, and decides about a retry
 *   ResultWriter     stores the results of attempts
 *
 * At the bottom, PollerRun is the shared state of the run, PollerWebhooks holds the webhooks as they were last read, and
 * SendGate decides which of them may be sent to. The only calls upwards are the reports of PollerMonitor.
 */

import { isConnectionFailure, PosternError } from '../../shared/errors/postern-error.ts';
import { connectionIdPattern } from '../../shared/model/connection.ts';
import { chance, type Timer } from '../../shared/runtime/runtime.ts';
import { Semaphore } from '../../shared/runtime/semaphore.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { decryptedOrNull } from '../../shared/secrets/vault.ts';
import type { PollerRecord, WebhookRecord } from '../../store/port.ts';
import { DeliveryQueues } from '../delivery/delivery-queue.ts';
import type { DeliveryReader } from '../delivery/delivery-reader.ts';
import { type PollerMonitor, PollerRun, PollerWebhooks } from '../delivery/poller-run.ts';
import type { Receivers } from '../delivery/receiver.ts';
import { ResultWriter } from '../delivery/result-writer.ts';
import type { SendGate } from '../delivery/send-gate.ts';
import type { EventAllowances } from '../shared/event-allowance.ts';
import type { MessageOpener } from '../shared/message-opener.ts';
import type { ActivityPage, CredentialResolver, PlatformAccess } from '../shared/platform-access.ts';
import type { WebhookContext } from '../shared/secrets.ts';
import { type ActivityResponse, ActivitySource } from './activity-source.ts';
import { EventAppender } from './event-appender.ts';
import { type LongPollSlots, LongPolls } from './long-polls.ts';
import { outageReason, PlatformOutage } from './platform-outage.ts';
import {
  type AccountBackoff,
  backoffMs,
  fullPagePauseMs,
  isRefusedResponse,
  maxAccountDelayMs,
  maxRefusals,
  pollDelayMs,
} from './poll-delays.ts';
import { PollerMessages } from './poller-messages.ts';

/**
 * The maximum time in milliseconds that the next page waits for space in the queues. Deliveries that do not fit in memory must be read from
 * the store again.
 */
const maxSpaceWaitMs = 200;

/** The interval in which a poller that stopped because of its connection tries the connection again. */
const connectionRetryMs = 60_000;

/** The text for `last_error` while events wait at the platform. */
const limitReached = 'more events have happened than an account may receive, so the others are read later';

/** What the pollers of a process need from other modules. */
export interface PollerServices extends WebhookContext, PlatformAccess {
  receivers: Receivers;
  gate: SendGate;
  opener: MessageOpener;
  logins: CredentialResolver;
  monitor: PollerMonitor;
  /** The maximum time in milliseconds for which the platform may hold a poll of an active actor; 0 disables waiting. */
  activityWaitMs: number;
}

/** The limits and caches that all pollers of a process share. */
export interface SharedLimits {
  longPollSlots: LongPollSlots;
  allowances: EventAllowances;
  backoff: AccountBackoff;
  reader: DeliveryReader;
}

/** Runs one poller. Schedules its polls and connects the classes that request, store and deliver the events. */
export class RunningPoller {
  readonly #services: PollerServices;
  readonly #limits: SharedLimits;
  readonly #run: PollerRun;
  readonly #webhooks: PollerWebhooks;
  readonly #source: ActivitySource;
  readonly #appender: EventAppender;
  readonly #messages: PollerMessages;
  readonly #queues: DeliveryQueues;
  readonly #results: ResultWriter;
  readonly #outage: PlatformOutage;
  /** Allows one poll at a time. A long poll does not hold `PollerRun.appending`. */
  readonly #polling = new Semaphore(1);
  /** True if the last poll succeeded. Only then may the next one be a long poll, so that an outage and its end are detected at once. */
  #lastSucceeded = false;
  #cursor: string | null;
  /** True after the platform has refused the cursor, so that events after the cursor were lost. */
  #cursorLost = false;
  #timer: Timer | undefined;
  #quietSince: number;
  #failures = 0;
  /** The number of consecutive full pages. */
  #fullPages = 0;
  /** The number of consecutive refused responses, and the end of the backoff that they caused. */
  #refusals = 0;
  #refusedUntil = 0;
  #ended = false;
  /** True if polling may have stopped because of its connection, which another process may repair without notifying this one. */
  #mayBeRepaired = true;

  constructor(record: PollerRecord, services: PollerServices, limits: SharedLimits) {
    const { store, runtime, receivers, gate, opener } = services;
    const { allowances, reader } = limits;
    this.#services = services;
    this.#limits = limits;
    this.#cursor = record.cursor;
    // A poller that was quiet before a restart starts with a long pause. Otherwise all pollers would poll at the highest rate after a
    // restart.
    this.#quietSince = runtime.now() - Math.max(0, store.now() - Math.max(record.createdAt, record.appendedAt));
    const run = new PollerRun(record, services);
    const webhooks = new PollerWebhooks(run, services.logins);
    const results = new ResultWriter(run, allowances);
    const queues = new DeliveryQueues({ run, webhooks, reader, results, receivers, gate });
    const messages = new PollerMessages({ run, webhooks, queues, opener });
    this.#run = run;
    this.#webhooks = webhooks;
    this.#results = results;
    this.#queues = queues;
    this.#messages = messages;
    this.#appender = new EventAppender({ run, webhooks, messages, queues, reader, allowances });
    this.#source = new ActivitySource(run, services, new LongPolls(limits.longPollSlots, services.activityWaitMs));
    this.#outage = new PlatformOutage(run);
  }

  get record(): PollerRecord {
    return this.#run.record;
  }

  /** Resolves when another process takes over the poller. */
  get superseded(): Promise<void> {
    return this.#run.superseded;
  }

  get webhooks(): WebhookRecord[] {
    return this.#webhooks.all;
  }

  /** The number of deliveries in memory. */
  get backlog(): number {
    return this.#queues.backlog;
  }

  /** Starts the poller. Retries until the store can be read. */
  async start(): Promise<void> {
    try {
      await this.#queues.read(true);
      this.#messages.retryWaiting();
      this.#pollIn(0);
    } catch (error) {
      if (this.#ended) return;
      this.#run.failure(error);
      this.#timer = this.#run.runtime.after(this.#backoff(), () => void this.start());
    }
  }

  /** Must be called when the poller or one of its webhooks was changed, or when deliveries were added. */
  async refresh(record: PollerRecord): Promise<void> {
    if (record.sealed !== this.record.sealed) {
      this.#refusals = 0;
      this.#refusedUntil = 0;
    }
    this.#run.renew(record);
    this.#outage.refresh(record);
    await this.#queues.read(true);
    this.#messages.retryWaiting();
    this.#source.refresh(record);
    this.#quietSince = this.#run.runtime.now();
    this.#lastSucceeded = false;
    this.#pollIn(0);
  }

  /** Starts no more work. Resolves when the running work has ended and its results are stored. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#timer?.cancel();
    this.#source.abort();
    this.#results.end();
    // Waits for the running poll, then for the current holder of the semaphore.
    const pollingEnded = Promise.all([this.#polling.run(async () => {}), this.#messages.end()]);
    const appendingEnded = pollingEnded.then(() => this.#run.appending.run(async () => {}));
    await Promise.all([appendingEnded, this.#queues.end()]);
    await this.#outage.end();
  }

  #pollIn(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#ended) return;
    const { runtime, isStopped } = this.#run;
    if (!isStopped) {
      this.#timer = runtime.after(delayMs, () => void this.#polling.run(() => this.#poll()));
    } else if (this.#mayBeRepaired) {
      this.#timer = runtime.after(connectionRetryMs, () => void this.#polling.run(() => this.#retryConnection()));
    }
  }

  /** Continues a stopped poller if its connection works again. */
  async #retryConnection(): Promise<void> {
    const { store, vault, record } = this.#run;
    if (this.#ended || !this.#run.isStopped) return;
    try {
      const authToken = new Secret(decryptedOrNull(() => vault.openPoller(record).authToken) ?? '');
      this.#mayBeRepaired = connectionIdPattern.test(authToken.expose());
      if (this.#mayBeRepaired) {
        await this.#services.logins.credentialOf({ account: record.account, authToken, signal: null });
        // If the platform stops it again, the connection is not the cause.
        this.#mayBeRepaired = false;
        if (await store.pollers.stop(record, null)) return this.refresh({ ...record, stopped: null });
      }
    } catch (error) {
      if (!isConnectionFailure(error)) this.#run.failure(error);
    }
    this.#pollIn(0);
  }

  async #poll(): Promise<void> {
    const { runtime } = this.#run;
    const { allowances } = this.#limits;
    if (this.#ended || this.#run.isStopped) return;
    const blockedMs = this.#blockedMs();
    if (blockedMs > 0) return this.#pollIn(blockedMs);
    const source = this.#source;
    try {
      const mayWait = this.#lastSucceeded && !this.#cursorLost;
      const response = await source.read(this.#cursor, { quietMs: runtime.now() - this.#quietSince, mayWait });
      // The poller has ended, or `refresh` has already scheduled the next poll.
      if (response === 'aborted') return;
      this.#lastSucceeded = response !== 'interrupted';
      if (response === 'interrupted') return this.#pollIn(0);
      const { page, count } = response;
      // Other pollers of the account may have used the allowance in the meantime. The events of this page then wait at the platform.
      const events = page.events.length + (page.gap ? 1 : 0);
      const isHeld = events > 0 && allowances.waitMs(this.record) > 0;
      allowances.received(this.record, { events: isHeld ? 0 : events, bytes: source.takeReceivedBytes() });
      if (isHeld) return this.#pollIn(this.#blockedMs());
      const isFull = page.events.length >= count;
      this.#fullPages = isFull ? this.#fullPages + 1 : 0;
      const isQuick = isFull && this.#fullPauseMs(count) === 0 && this.#blockedMs() === 0;
      if (isQuick && !this.#ended && !this.#queues.isFull) source.prefetch(page.cursor);
      // The semaphore is not held while the platform waits for events. An empty page, the usual result, does not need it.
      if (this.#isNew(page)) await this.#run.appending.run(() => this.#append(page));
      // The cursor may say what was read without finding an event. X bills it again if it is forgotten.
      else this.#cursor = page.cursor;
      this.#failures = 0;
      this.#refusals = 0;
      this.#outage.succeeded();
      if (isFull) await this.#queues.waitForSpace(maxSpaceWaitMs);
      if (page.events.length > 0) this.#quietSince = runtime.now();
      const nextBlockedMs = this.#blockedMs();
      if (nextBlockedMs > 0) this.#outage.failed(limitReached);
      this.#pollIn(Math.max(nextBlockedMs, isFull ? this.#fullPauseMs(count) : this.#idlePauseMs(response)));
    } catch (error) {
      allowances.received(this.record, { events: 0, bytes: source.takeReceivedBytes() });
      this.#lastSucceeded = false;
      await this.#afterFailure(error);
    }
  }

  /** Returns true if the page must be stored. */
  #isNew({ events, gap }: ActivityPage): boolean {
    return events.length > 0 || this.#cursor === null || gap || this.#cursorLost;
  }

  async #append(page: ActivityPage): Promise<void> {
    const gap = page.gap || this.#cursorLost;
    if (!(await this.#appender.append({ ...page, gap }, this.#cursor))) return;
    this.#cursor = page.cursor;
    this.#cursorLost = false;
  }

  /** Returns the time in milliseconds for which no request may be sent. */
  #blockedMs(): number {
    const refusedMs = this.#refusedUntil - this.#run.runtime.now();
    // The clock may have been set back.
    return Math.max(this.#limits.allowances.waitMs(this.record), refusedMs > maxAccountDelayMs ? 0 : refusedMs);
  }

  #fullPauseMs(count: number): number {
    return fullPagePauseMs(this.#fullPages, count, this.#limits.allowances.eventsPerMinute);
  }

  #idlePauseMs(response: ActivityResponse): number {
    const { runtime } = this.#run;
    const quietMs = runtime.now() - this.#quietSince;
    const idleMs = pollDelayMs(quietMs, this.#services.platform.minPollMs, chance(runtime));
    return this.#source.pauseMs(response, quietMs, idleMs);
  }

  async #afterFailure(error: unknown): Promise<void> {
    const known = error instanceof PosternError ? error : null;
    if (known?.code === 'bad_input' && this.#cursor !== null) {
      // The platform refuses the cursor, so polling continues with new events.
      this.#cursor = null;
      this.#cursorLost = true;
      return this.#isOfOperator ? this.#pollIn(0) : this.#waitAfterRefusal();
    }
    const outage = outageReason(error, this.#source.hasProxy);
    if (outage !== null) this.#outage.failed(outage);
    // A failure of the operator's own platform is not the fault of an account.
    if (isRefusedResponse(error) && !this.#isOfOperator) return this.#afterRefusal(error);
    const isRefused = known?.code === 'forbidden' || known?.code === 'bad_input' || known?.code === 'not_supported';
    if (known && (isConnectionFailure(error) || (isRefused && outage === null))) {
      this.#mayBeRepaired = isConnectionFailure(error);
      if (await this.#tryStop(known.message)) return this.#pollIn(0);
    } else this.#run.failure(error);
    // A single failure of a server that usually works does not wait for the turn of those that keep failing.
    const isShared = !this.#isOfOperator && this.#failures > 0;
    const accountMs = isShared ? this.#limits.backoff.afterFailure(this.record.account) : 0;
    this.#pollIn(Math.max(accountMs, this.#backoff(known?.retryAfterSeconds)));
  }

  /** True if the last request went to a server of the operator, and not through a proxy. */
  get #isOfOperator(): boolean {
    return !this.#source.hasProxy && !this.#services.platform.callersChooseServers;
  }

  async #afterRefusal(error: unknown): Promise<void> {
    this.#run.failure(error);
    this.#refusals += 1;
    const reason = `${maxRefusals} responses in a row were refused, because they are too large or cannot be understood`;
    if (this.#refusals >= maxRefusals && (await this.#tryStop(reason))) return;
    this.#waitAfterRefusal();
  }

  /** Waits for the turn of this poller among those of its account whose responses are refused. */
  #waitAfterRefusal(): void {
    const { runtime } = this.#run;
    const waitMs = this.#limits.backoff.afterRefusal(this.record.account, chance(runtime));
    this.#refusedUntil = runtime.now() + waitMs;
    this.#pollIn(waitMs);
  }

  #backoff(retryAfterSeconds?: number): number {
    return backoffMs(this.#failures++, retryAfterSeconds, chance(this.#run.runtime));
  }

  /**
   * Stops polling, because the platform would refuse these credentials again. The owner of the webhooks sees the reason in `last_error`.
   * Returns false if the store cannot be written.
   */
  async #tryStop(reason: string): Promise<boolean> {
    const { store, record } = this.#run;
    try {
      this.#outage.succeeded();
      if (await store.pollers.stop(record, reason)) this.#run.stop();
      else {
        const now = await store.pollers.find(record.account, record.id);
        // If the fence is the same, a call has stored the credentials again in the meantime, so they must be tried again.
        if (now?.fence === record.fence) await this.refresh(now);
        else this.#run.supersede();
      }
      return true;
    } catch (failure) {
      this.#run.failure(failure);
      return false;
    }
  }
}
