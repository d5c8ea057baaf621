/*
 * The events of one poller flow in one direction. Each part calls only the parts below it, which know nothing of it:
 *
 *   RunningPoller    decides when to poll, and what to do after a failure
 *   ActivityRequests ask the platform for a page of events; ActivityWaits decides whether the platform may hold the request
 *   EventAppender    seals the page and stores it, with a delivery for each webhook
 *     PollerMessages   opens messages with the codes of the webhooks; WaitingMessages opens later those that did not open
 *   DeliveryQueues   schedule the stored deliveries, with a DeliveryQueue for each webhook
 *     AttemptSender    signs and sends each attempt
 *   ResultWriter     stores the results of attempts
 *
 * At the bottom, PollerRun is the shared state of the run, PollerWebhooks holds the webhooks as they were last read, and
 * SendGate decides which of them may be sent to. The only calls upwards are the reports of PollerMonitor.
 */

import { isConnectionFailure, PosternError } from '../../shared/errors/postern-error.ts';
import { connectionIdPattern } from '../../shared/model/connection.ts';
import { chance, type Runtime, type Timer } from '../../shared/runtime/runtime.ts';
import { Semaphore } from '../../shared/runtime/semaphore.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { decryptedOrNull } from '../../shared/secrets/vault.ts';
import type { FairQueue } from '../../shared/threads/fair-queue.ts';
import type { PollerRecord, Store } from '../../store/port.ts';
import { DeliveryQueues } from '../delivery/delivery-queues.ts';
import type { EventBodies } from '../delivery/event-bodies.ts';
import { PollerWebhooks } from '../delivery/poller-webhooks.ts';
import type { Receivers } from '../delivery/receiver.ts';
import { ResultWriter } from '../delivery/result-writer.ts';
import type { SendGate } from '../delivery/send-gate.ts';
import { DailyCheck } from '../registration/daily-check.ts';
import type { Handshakes } from '../registration/handshakes.ts';
import type { EventAllowances } from '../shared/event-allowance.ts';
import type { MessageOpener } from '../shared/message-opener.ts';
import type { ActivityPage, CredentialResolver, PlatformAccess } from '../shared/platform-access.ts';
import { type PollerMonitor, PollerRun } from '../shared/poller-run.ts';
import type { WebhookVault } from '../shared/secrets.ts';
import { ActivityRequests, type ActivityResponse } from './activity-requests.ts';
import { ActivityWaits, type WaitSlots } from './activity-waits.ts';
import { EventAppender } from './event-appender.ts';
import { outageReason, PlatformOutage } from './platform-outage.ts';
import { backoffMs, fullPagePauseMs, pollDelayMs } from './poll-delay.ts';
import { PollerMessages } from './poller-messages.ts';
import {
  type FailedPolls,
  isRefusedResponse,
  maxRefusals,
  maxRefusalWaitMs,
  type RefusedResponses,
} from './refused-responses.ts';

/**
 * The maximum time in milliseconds that the next page waits for space in the queues. Deliveries that do not fit in memory must be read from
 * the store again.
 */
const maxRoomMs = 200;

/** The interval in which a poller that stopped because of its connection looks whether the connection works again. */
const repairLookMs = 60_000;

/** The text for `last_error` while events wait at the platform. */
const limitReached = 'more events have happened than an account may receive, so the others are read later';

export interface RunningPollerParts extends PlatformAccess {
  store: Store;
  vault: WebhookVault;
  receivers: Receivers;
  runtime: Runtime;
  handshakes: Handshakes;
  gate: SendGate;
  opener: MessageOpener;
  monitor: PollerMonitor;
  /** The maximum time in milliseconds for which the platform may hold a poll of an active actor; 0 disables waiting. */
  activityWaitMs: number;
  waitSlots: WaitSlots;
  allowances: EventAllowances;
  bodies: EventBodies;
  reads: FairQueue;
  refusedResponses: RefusedResponses;
  failedPolls: FailedPolls;
  logins: CredentialResolver;
}

/** Runs one poller. Schedules its polls and connects the classes that request, store and deliver the events. */
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
  readonly #waits: ActivityWaits;
  readonly #requests: ActivityRequests;
  /** Allows one poll at a time. A poll that waits at the platform does not hold the semaphore of the run. */
  readonly #polling = new Semaphore(1);
  /** True if the last poll succeeded. A poll may wait only in this case, so that an outage and its end are detected at once. */
  #worked = false;
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

  constructor(record: PollerRecord, parts: RunningPollerParts) {
    const { store, runtime, monitor } = parts;
    this.#parts = parts;
    this.#cursor = record.cursor;
    // A poller that was quiet before a restart starts with a long pause. Otherwise all pollers would poll at the highest rate after a
    // restart.
    this.#quietSince = runtime.now() - Math.max(0, store.now() - Math.max(record.createdAt, record.appendedAt));
    const run = new PollerRun(record, monitor);
    const webhooks = new PollerWebhooks({ ...parts, run });
    this.#run = run;
    this.#webhooks = webhooks;
    this.#waits = new ActivityWaits(parts.waitSlots, parts.activityWaitMs);
    this.#requests = new ActivityRequests({ ...parts, run, waits: this.#waits });
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

  /** Resolves when another process takes over the poller. */
  get superseded(): Promise<void> {
    return this.#run.superseded;
  }

  /** The number of deliveries in memory. */
  get backlog(): number {
    return this.#queues.backlog;
  }

  /** Starts the poller. Retries until the store can be read. */
  async start(): Promise<void> {
    try {
      await this.#queues.read(true);
      this.#messages.waiting.look();
      this.#pollIn(0);
    } catch (error) {
      if (this.#ended) return;
      this.#run.failure(error);
      this.#timer = this.#parts.runtime.after(this.#backoff(), () => void this.start());
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
    this.#messages.waiting.look();
    this.#requests.refresh(record);
    this.#quietSince = this.#parts.runtime.now();
    this.#worked = false;
    this.#pollIn(0);
  }

  /** Starts no more work. Resolves when the running work has ended and its results are stored. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#timer?.cancel();
    this.#requests.abort();
    this.#results.end();
    // Waits for the running poll, then for the current holder of the semaphore.
    const pollOver = this.#polling.run(async () => {});
    const turnsOver = Promise.all([pollOver, this.#messages.waiting.end()]).then(() =>
      this.#run.turn.run(async () => {}),
    );
    await Promise.all([turnsOver, this.#queues.end()]);
    await this.#outage.end();
  }

  #pollIn(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#ended) return;
    const { runtime } = this.#parts;
    if (!this.#run.isStopped) {
      this.#timer = runtime.after(delayMs, () => void this.#polling.run(() => this.#poll()));
    } else if (this.#mayBeRepaired) {
      this.#timer = runtime.after(repairLookMs, () => void this.#polling.run(() => this.#lookForRepair()));
    }
  }

  /** Continues if the connection works again. */
  async #lookForRepair(): Promise<void> {
    const { store, vault, logins } = this.#parts;
    const { record } = this.#run;
    if (this.#ended || !this.#run.isStopped) return;
    try {
      const authToken = new Secret(decryptedOrNull(() => vault.openPoller(record).authToken) ?? '');
      this.#mayBeRepaired = connectionIdPattern.test(authToken.expose());
      if (this.#mayBeRepaired) {
        await logins.credentialOf({ account: record.account, authToken, signal: null });
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
    const { runtime, allowances } = this.#parts;
    if (this.#ended || this.#run.isStopped) return;
    const startedAt = runtime.now();
    const heldMs = this.#heldMs();
    if (heldMs > 0) return this.#pollIn(heldMs);
    const requests = this.#requests;
    try {
      const worked = this.#worked && !this.#cursorLost;
      const response = await requests.begin(this.#cursor, { quietMs: startedAt - this.#quietSince, worked });
      const { page } = response;
      // Other pollers of the account may have used the allowance in the meantime. The events of this page then wait at the platform.
      const events = page.events.length + (page.gap ? 1 : 0);
      const isHeld = events > 0 && allowances.waitMs(this.record) > 0;
      allowances.received(this.record, { events: isHeld ? 0 : events, bytes: requests.takeReceivedBytes() });
      if (isHeld) return this.#pollIn(this.#heldMs());
      const isFull = page.events.length >= response.count;
      this.#fullPages = isFull ? this.#fullPages + 1 : 0;
      const isQuick = this.#fullPauseMs(response) === 0 && this.#heldMs() === 0;
      if (isFull && isQuick && !this.#ended && !this.#queues.isFull) requests.askAhead(page.cursor);
      // The semaphore is not held while the platform waits for events. An empty page, the usual result, does not need it.
      if (this.#isNew(page)) await this.#run.turn.run(() => this.#append(page));
      // The cursor may say what was read without finding an event. X bills it again if it is forgotten.
      else this.#cursor = page.cursor;
      this.#afterSuccess();
      if (isFull) await this.#queues.room(maxRoomMs);
      if (page.events.length > 0) this.#quietSince = runtime.now();
      const nextHeldMs = this.#heldMs();
      if (nextHeldMs > 0) this.#outage.failed(limitReached);
      this.#pollIn(Math.max(nextHeldMs, this.#pauseAfter(response, runtime.now() - startedAt)));
    } catch (error) {
      allowances.received(this.record, { events: 0, bytes: requests.takeReceivedBytes() });
      // The poller has ended, or `refresh` has already scheduled the next poll.
      if (requests.isAborted) return;
      this.#worked = false;
      if (requests.isBrokenOff(error)) return this.#pollIn(0);
      await this.#afterFailure(error);
    } finally {
      requests.end();
    }
  }

  /** Returns true if the page must be stored. */
  #isNew({ events, gap }: ActivityPage): boolean {
    return events.length > 0 || this.#cursor === null || gap || this.#cursorLost;
  }

  async #append({ events, cursor: after, gap }: ActivityPage): Promise<void> {
    const page = { events, before: this.#cursor, after, gap: gap || this.#cursorLost };
    if (!(await this.#appender.append(page))) return;
    this.#cursor = after;
    this.#cursorLost = false;
  }

  #afterSuccess(): void {
    this.#failures = 0;
    this.#refusals = 0;
    this.#worked = true;
    this.#waits.worked(this.#parts.runtime.now());
    this.#outage.worked();
    this.#check.run(this.#webhooks.all).catch(this.#run.failure);
  }

  /** Returns the time in milliseconds for which no request may be sent. */
  #heldMs(): number {
    const { runtime, allowances } = this.#parts;
    const refusedMs = this.#refusedUntil - runtime.now();
    // The clock may have been set back.
    return Math.max(allowances.waitMs(this.record), refusedMs > maxRefusalWaitMs ? 0 : refusedMs);
  }

  #fullPauseMs({ count }: ActivityResponse): number {
    return fullPagePauseMs(this.#fullPages, count, this.#parts.allowances.eventsPerMinute);
  }

  #pauseAfter(response: ActivityResponse, tookMs: number): number {
    const { count, wait, mayWait } = response;
    const { events } = response.page;
    const { runtime, platform } = this.#parts;
    const quietMs = runtime.now() - this.#quietSince;
    const pause = pollDelayMs(quietMs, platform.minPollMs, chance(runtime));
    if (events.length >= count) return this.#fullPauseMs(response);
    if (wait && events.length > 0) return this.#waits.pauseAfterEventsMs(runtime.now());
    // A wait that ended early without events must not be repeated immediately.
    if (wait) return tookMs < wait.ms ? Math.max(0, pause - tookMs) : 0;
    // The first poll cannot wait, so the next one follows immediately.
    return !mayWait && this.#waits.isActive(quietMs) ? 0 : pause;
  }

  async #afterFailure(error: unknown): Promise<void> {
    const known = error instanceof PosternError ? error : null;
    if (known?.code === 'bad_input' && this.#cursor !== null) {
      // The platform refuses the cursor, so polling continues with new events.
      this.#cursor = null;
      this.#cursorLost = true;
      return this.#isOfOperator ? this.#pollIn(0) : this.#holdAfterRefusal();
    }
    const outage = outageReason(error, this.#requests.hasProxy);
    if (outage !== null) this.#outage.failed(outage);
    if (isRefusedResponse(error)) {
      this.#requests.refused();
      // A failure of the operator's own platform is not the fault of an account.
      if (!this.#isOfOperator) return this.#afterRefusal(error);
    }
    const isRefused = known?.code === 'forbidden' || known?.code === 'bad_input' || known?.code === 'not_supported';
    if (known && (isConnectionFailure(error) || (isRefused && outage === null))) {
      this.#mayBeRepaired = isConnectionFailure(error);
      if (await this.#tryStop(known.message)) return this.#pollIn(0);
    } else this.#run.failure(error);
    // A single failure of a server that usually works does not wait for the turn of those that keep failing.
    const turnMs = this.#isOfOperator || this.#failures === 0 ? 0 : this.#parts.failedPolls.waitMs(this.record.account);
    this.#pollIn(Math.max(turnMs, this.#backoff(known?.retryAfterSeconds)));
  }

  /** True if the last request went to a server of the operator, and not through a proxy. */
  get #isOfOperator(): boolean {
    return !this.#requests.hasProxy && !this.#parts.platform.callersChooseServers;
  }

  async #afterRefusal(error: unknown): Promise<void> {
    this.#run.failure(error);
    this.#refusals += 1;
    const reason = `${maxRefusals} responses in a row were refused, because they are too large or cannot be understood`;
    if (this.#refusals >= maxRefusals && (await this.#tryStop(reason))) return;
    this.#holdAfterRefusal();
  }

  /** Waits for the turn of this poller among those of its account whose responses are refused. */
  #holdAfterRefusal(): void {
    const { runtime, refusedResponses } = this.#parts;
    const waitMs = refusedResponses.waitMs(this.record.account, chance(runtime));
    this.#refusedUntil = runtime.now() + waitMs;
    this.#pollIn(waitMs);
  }

  #backoff(retryAfterSeconds?: number): number {
    return backoffMs(this.#failures++, retryAfterSeconds, chance(this.#parts.runtime));
  }

  /** Returns false if the store cannot be written. */
  async #tryStop(reason: string): Promise<boolean> {
    try {
      this.#outage.worked();
      await this.#stop(reason);
      return true;
    } catch (failure) {
      this.#run.failure(failure);
      return false;
    }
  }

  /**
   * Stops polling, because the platform would refuse these credentials again. The owner of the webhooks sees the reason in `last_error`.
   */
  async #stop(reason: string): Promise<void> {
    const { store } = this.#parts;
    const { account, id, fence } = this.#run.record;
    if (!(await store.pollers.stop(this.#run.record, reason))) {
      const now = await store.pollers.find(account, id);
      if (now?.fence !== fence) return this.#run.supersede();
      // A call has stored the credentials again in the meantime, so they must be tried again.
      return this.refresh(now);
    }
    this.#run.stop();
  }
}
