import { chance, type Runtime, sleep, type Timer } from '../../shared/runtime/runtime.ts';
import { turn } from '../../shared/runtime/turns.ts';
import type { FairQueue } from '../../shared/threads/fair-queue.ts';
import type { DeliveryResult, Store, WaitingDelivery, WebhookRecord } from '../../store/port.ts';
import type { PollerMonitor } from '../shared/poller-run.ts';
import { AttemptSender, type AttemptSenderParts } from './attempt-sender.ts';
import { DeliveryWindow, keptInMemory, type QueuedDelivery } from './delivery-window.ts';
import type { EventBodies } from './event-bodies.ts';
import type { PollerWebhooks } from './poller-webhooks.ts';
import { excerptOf, type ReceiverFailure, type ReceiverResponse } from './receiver.ts';
import type { ResultWriter } from './result-writer.ts';
import { readRetryAfter, retryDelayMs } from './retry.ts';

/**
 * The maximum number of concurrent attempts for one receiver. One more attempt may be a replay, so that replays do not delay live events.
 */
const liveAtOnce = 8;
const replaysAtOnce = 1;
/** The pause in milliseconds after a failed read of the store. */
const retryLoadMs = 1_000;

export interface DeliveryQueueParts extends AttemptSenderParts {
  store: Store;
  runtime: Runtime;
  webhooks: PollerWebhooks;
  bodies: EventBodies;
  /** Limits the number of simultaneous reads of the store. */
  reads: FairQueue;
  results: ResultWriter;
  monitor: PollerMonitor;
}

/** Schedules the deliveries of one webhook. Webhooks do not wait for each other. */
export class DeliveryQueue {
  readonly #parts: DeliveryQueueParts;
  #webhook: WebhookRecord;
  readonly #sender: AttemptSender;
  readonly #live = new DeliveryWindow(liveAtOnce);
  readonly #replayed = new DeliveryWindow(replaysAtOnce);
  readonly #inFlight = new Map<string, Promise<void>>();
  /** Resolves when the last attempt may begin. Attempts begin in order, even if some wait for a read of their body. */
  #beginning: Promise<unknown> = Promise.resolve();
  #refreshedAt: number | null = null;
  #reading = false;
  /** The number of attempts of each event whose results are not stored yet. For these events the store returns outdated data. */
  readonly #unwritten = new Map<string, number>();
  /** The events of the last batch of results, and the promise that resolves when the batch is stored. */
  #batch: { events: string[]; stored: Promise<void> } | null = null;
  /** Resolves when all results are stored, because batches are stored one after the other. */
  #written: Promise<void> = Promise.resolve();
  #loading: Promise<void> | null = null;
  /** True if the last read returned a full page of known deliveries. The store is then not read again until a result is stored. */
  #readWasUseless = false;
  #timer: Timer | undefined;
  /** The start of attempts of added deliveries, if it waits for a turn of the event loop. */
  #starting: Promise<void> | null = null;
  #ended = false;

  constructor(webhook: WebhookRecord, parts: DeliveryQueueParts) {
    this.#parts = parts;
    this.#webhook = webhook;
    this.#sender = new AttemptSender(webhook, parts);
  }

  get length(): number {
    return this.#live.length + this.#replayed.length + this.#inFlight.size;
  }

  /** True after `end` was called and after the webhook was moved to another poller. */
  get isEnded(): boolean {
    return this.#ended;
  }

  /** The revision of the webhook at the last `refresh`. */
  get refreshedAt(): number | null {
    return this.#refreshedAt;
  }

  /** Must be called when the webhook was changed or deliveries were added to the store. */
  refresh(): void {
    this.see();
    this.#refreshedAt = this.#webhook.revision;
    for (const window of [this.#live, this.#replayed]) window.restFrom(Number.NEGATIVE_INFINITY);
    this.#readWasUseless = false;
    this.#go();
  }

  /** Updates the webhook record from the last read. */
  see(): void {
    const webhook = this.#parts.webhooks.find(this.#webhook.id);
    if (webhook === this.#webhook || this.#ended) return;
    if (!webhook) return void this.#leave();
    this.#webhook = webhook;
    this.#sender.saw(webhook);
    // After a pause the deliveries are read from the store, in their order.
    if (webhook.pausedAt !== null) for (const window of [this.#live, this.#replayed]) window.clear();
  }

  /** Adds a delivery to a window in memory, unless the webhook is paused. The delivery is already in the store. */
  #keep(delivery: QueuedDelivery, window: DeliveryWindow): void {
    if (this.#webhook.pausedAt === null) window.add(delivery);
  }

  /** Adds a new delivery, which is already stored. A page may add a hundred to each of 100 queues, so attempts begin in a later turn. */
  add(delivery: QueuedDelivery): void {
    this.#keep(delivery, this.#live);
    this.#starting ??= Promise.resolve()
      .then(turn)
      .then(() => {
        this.#starting = null;
        this.#go();
      });
  }

  /** Starts no more attempts. Resolves when the results of the running attempts are stored. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#timer?.cancel();
    await Promise.all(this.#inFlight.values());
    await this.#written;
  }

  /**
   * Ends the queue because the webhook left the poller. Running attempts are aborted if the webhook was deleted, and finish if it was moved
   * to another poller.
   */
  async #leave(): Promise<void> {
    void this.end();
    if (await this.#parts.webhooks.isDeleted(this.#webhook.id)) this.#sender.abort();
  }

  /** Starts the attempts that are due, and sets the timer for the next one. */
  #go(): void {
    this.see();
    if (this.#ended) return;
    const { gate, webhooks } = this.#parts;
    const state = gate.state(this.#webhook, webhooks.readAt);
    if (state === 'closed') return;
    this.#timer?.cancel();
    const now = this.#parts.store.now();
    for (const window of [this.#live, this.#replayed]) {
      if (state === 'stale' && window.canTake(now)) {
        this.#readAgain();
        return;
      }
      for (let next = window.take(now); next; next = window.take(now)) this.#begin(next, window);
    }
    const soonest = Math.min(this.#live.soonest(now), this.#replayed.soonest(now));
    if (Number.isFinite(soonest)) this.#timer = this.#parts.runtime.after(soonest - now, () => this.#go());
    if (!this.#readWasUseless && (this.#live.wantsMore(now) || this.#replayed.wantsMore(now))) this.#load();
  }

  /**
   * Sends nothing until the read has finished. While the store is unavailable nothing is sent, because another process may have deleted the
   * webhook.
   */
  #readAgain(): void {
    if (this.#reading) return;
    this.#reading = true;
    const { webhooks, runtime } = this.#parts;
    const tryLater = () => sleep(runtime, retryLoadMs);
    void webhooks
      .refresh()
      .catch(tryLater)
      .then(() => {
        this.#reading = false;
        this.#go();
      });
  }

  #load(): void {
    this.#loading ??= this.#loadMore().finally(() => {
      this.#loading = null;
      this.#go();
    });
  }

  async #loadMore(): Promise<void> {
    const { runtime, store, reads } = this.#parts;
    const { account, id } = this.#webhook;
    let useful = false;
    for (const window of [this.#live, this.#replayed]) {
      if (!window.wantsMore(store.now())) continue;
      window.asking();
      try {
        const found = await reads.run({ account, weight: 1, signal: null }, () =>
          store.deliveries.waiting(account, id, window === this.#replayed, keptInMemory),
        );
        const last = found.at(-1);
        if (last && found.length === keptInMemory) window.restFrom(dueAt(last));
        else useful = true;
        for (const each of found) {
          useful = this.#place({ ...each, nextAt: dueAt(each) }, window) || useful;
        }
      } catch {
        await sleep(runtime, retryLoadMs);
        window.restFrom(Number.NEGATIVE_INFINITY);
        useful = true;
      }
    }
    this.#readWasUseless = !useful;
  }

  /**
   * Adds a delivery that was read from the store. A replay may have changed its window and its time. Returns false if the delivery is
   * already known and unchanged.
   */
  #place(delivery: QueuedDelivery, window: DeliveryWindow): boolean {
    const { event } = delivery;
    if (this.#inFlight.has(event) || this.#unwritten.has(event)) return false;
    const known = this.#live.remove(event) ?? this.#replayed.remove(event);
    this.#keep(delivery, window);
    return known?.nextAt !== delivery.nextAt || known.replayed !== delivery.replayed;
  }

  /** Stores a result. The event stays in `#unwritten` while a read is running, because the read may have begun before the write. */
  #write(result: DeliveryResult): void {
    const { event } = result;
    this.#unwritten.set(event, (this.#unwritten.get(event) ?? 0) + 1);
    const stored = this.#parts.results.write(result);
    if (this.#batch?.stored === stored) {
      this.#batch.events.push(event);
      return;
    }
    const events = [event];
    this.#batch = { events, stored };
    this.#written = stored.then(() => this.#afterWrite(events));
  }

  async #afterWrite(events: readonly string[]): Promise<void> {
    await this.#loading;
    for (const event of events) {
      const left = (this.#unwritten.get(event) ?? 1) - 1;
      if (left > 0) this.#unwritten.set(event, left);
      else this.#unwritten.delete(event);
    }
    if (!this.#readWasUseless) return;
    this.#readWasUseless = false;
    this.#go();
  }

  #begin(delivery: QueuedDelivery, window: DeliveryWindow): void {
    window.inFlight += 1;
    this.#inFlight.set(delivery.event, this.#attempt(delivery, window));
  }

  async #attempt(delivery: QueuedDelivery, window: DeliveryWindow): Promise<void> {
    const { vault, store } = this.#parts;
    const { account, id } = this.#webhook;
    const { event, replayed, eventAt } = delivery;
    const beginning = this.#bodyOf(delivery, this.#beginning);
    this.#beginning = beginning;
    const body = await beginning;
    const now = store.now();
    const attempts = delivery.attempts + 1;
    const sent = body === undefined ? null : await this.#sender.send(event, body, attempts, now);
    if (sent === null) {
      // An attempt that was aborted or not begun does not count as failed. If the webhook has a new URL, the delivery is sent there.
      this.#inFlight.delete(event);
      window.inFlight -= 1;
      this.#keep(delivery, window);
      return this.#go();
    }
    const { answer, signatures } = sent;
    const status = 'status' in answer ? answer.status : null;
    const failure =
      'reason' in answer
        ? answer.reason
        : answer.status >= 200 && answer.status < 300
          ? null
          : `status ${answer.status}`;
    const delayMs = failure === null ? null : this.#delayMs(answer, attempts);
    const nextAt = delayMs === null ? null : store.now() + delayMs;
    const state = failure === null ? 'delivered' : nextAt === null ? 'given_up' : 'waiting';
    const response = 'status' in answer ? excerptOf(answer) : null;
    const exchange = signatures && vault.sealExchange(account, event, id, { signatures, response });
    const last = { at: now, durationMs: answer.durationMs, responseCode: status, error: failure };
    this.#write({ event, webhook: id, state, attempts, nextAt, last, exchange });
    this.#parts.monitor.attempted({
      webhook: id,
      event,
      attempt: attempts,
      status,
      startedAt: now,
      durationMs: answer.durationMs,
      outcome: state === 'waiting' ? 'retrying' : state,
      firstAfterMs: attempts === 1 && !replayed ? now - eventAt : null,
      deliveredAfterMs: state === 'delivered' && !replayed ? store.now() - eventAt : null,
    });
    this.#inFlight.delete(event);
    window.inFlight -= 1;
    if (nextAt !== null) this.#keep({ ...delivery, attempts, nextAt }, window);
    // If the store fails to invalidate the webhook, the queue continues.
    if (status === 410) void this.#parts.webhooks.invalidate(id).then(() => this.#go());
    this.#go();
  }

  /**
   * Waits until an attempt may begin, and returns its body. Returns `undefined` if the attempt may not begin, because
   * the queue has ended, the webhook was changed or the store failed.
   */
  async #bodyOf({ poller, event }: QueuedDelivery, earlier: Promise<unknown>): Promise<string | null | undefined> {
    const { bodies, gate, webhooks, runtime } = this.#parts;
    try {
      const body = (await webhooks.isGone()) ? null : await bodies.of(this.#webhook.account, poller, event);
      // The attempts of 100 webhooks may begin together, and signing a large body takes half a millisecond.
      await turn();
      await earlier;
      // Returning the attempt to the queue here would change the order.
      while (!this.#ended && gate.state(this.#webhook, webhooks.readAt) === 'stale') {
        await webhooks.refresh();
        this.see();
      }
      return !this.#ended && gate.state(this.#webhook, webhooks.readAt) === 'open' ? body : undefined;
    } catch {
      await sleep(runtime, retryLoadMs);
      return undefined;
    }
  }

  #delayMs(answer: ReceiverResponse | ReceiverFailure, attempts: number): number | null {
    const { runtime, store } = this.#parts;
    const asked = 'status' in answer && [429, 503].includes(answer.status) ? answer.retryAfter : null;
    return retryDelayMs(attempts, chance(runtime), readRetryAfter(asked, store.now()));
  }
}

/** Returns the time of the next attempt. The first one is due at once, also after the store's clock was set back. */
function dueAt({ attempts, nextAt }: WaitingDelivery): number {
  return attempts === 0 ? 0 : (nextAt ?? 0);
}
