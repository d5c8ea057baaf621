import { sleep, type Timer } from '../../shared/runtime/runtime.ts';
import { turn } from '../../shared/runtime/turns.ts';
import type { DeliveryResult, WaitingDelivery, WebhookRecord } from '../../store/port.ts';
import { AttemptSender, type AttemptSenderParts } from './attempt-sender.ts';
import type { DeliveryReader } from './delivery-reader.ts';
import { DeliveryWindow, maxInMemory, type QueuedDelivery } from './delivery-window.ts';
import type { PollerWebhooks } from './poller-run.ts';
import type { ResultWriter } from './result-writer.ts';

/**
 * The maximum number of concurrent attempts for one receiver. One more attempt may be a replay, so that replays do not delay live events.
 */
const maxLiveAttempts = 8;
const maxReplayAttempts = 1;
/** The pause in milliseconds after a failed read of the store. */
const retryLoadMs = 1_000;
/** The interval in milliseconds at which `waitForSpace` checks the queues. */
const spaceMs = 5;

export interface DeliveryQueueParts extends AttemptSenderParts {
  webhooks: PollerWebhooks;
  reader: DeliveryReader;
  results: ResultWriter;
}

/** The delivery queues of one poller, one for each webhook. */
export class DeliveryQueues {
  readonly #parts: DeliveryQueueParts;
  readonly #queues = new Map<string, DeliveryQueue>();
  #isEnded = false;

  constructor(parts: DeliveryQueueParts) {
    this.#parts = parts;
  }

  get backlog(): number {
    let backlog = 0;
    for (const queue of this.#queues.values()) backlog += queue.length;
    return backlog;
  }

  /** Resolves when a queue has space for more deliveries in memory, and after `maxMs` in any case. */
  async waitForSpace(maxMs: number): Promise<void> {
    const { runtime } = this.#parts.run;
    const until = runtime.now() + maxMs;
    while (this.isFull && !this.#isEnded && runtime.now() < until) await sleep(runtime, spaceMs);
  }

  /** True if no queue has space for many more deliveries in memory. */
  get isFull(): boolean {
    if (this.#queues.size === 0) return false;
    for (const queue of this.#queues.values()) if (queue.length < maxInMemory / 2) return false;
    return true;
  }

  /** Reads the webhooks again. `isNotified` is true if the store may have new deliveries for any of them. */
  async read(isNotified: boolean): Promise<void> {
    const { webhooks } = this.#parts;
    await webhooks.read();
    if (this.#isEnded) return;
    for (const [id, queue] of this.#queues) if (!queue.refresh(isNotified)) this.#queues.delete(id);
    for (const webhook of webhooks.all) {
      if (this.#queues.has(webhook.id)) continue;
      const queue = new DeliveryQueue(webhook, this.#parts);
      this.#queues.set(webhook.id, queue);
      queue.refresh(true);
    }
  }

  /** Adds a new delivery, which is already stored, to the queue of its webhook. */
  add(webhook: string, delivery: QueuedDelivery): void {
    this.#queues.get(webhook)?.add(delivery);
  }

  /** Starts no more attempts. Resolves when the running attempts have ended and their results are stored. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all([...this.#queues.values()].map((queue) => queue.end()));
  }
}

/** Schedules the deliveries of one webhook. Webhooks do not wait for each other. */
export class DeliveryQueue {
  readonly #parts: DeliveryQueueParts;
  #webhook: WebhookRecord;
  readonly #sender: AttemptSender;
  readonly #live = new DeliveryWindow(maxLiveAttempts);
  readonly #replayed = new DeliveryWindow(maxReplayAttempts);
  readonly #windows = [this.#live, this.#replayed];
  readonly #inFlight = new Map<string, Promise<void>>();
  /** Resolves when the last attempt may begin. Attempts begin in order, even if some wait for a read of their body. */
  #beginning: Promise<unknown> = Promise.resolve();
  /** The revision of the webhook at the last refresh. */
  #refreshedAt: number | null = null;
  #reading = false;
  /** The number of attempts of each event whose results are not stored yet. For these events the store returns outdated data. */
  readonly #unwritten = new Map<string, number>();
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

  /**
   * Must be called when the webhooks were read again. `isNotified` is true if deliveries may have been added to the store. Returns false if
   * the queue has ended, because the webhook was deleted or moved to another poller.
   */
  refresh(isNotified: boolean): boolean {
    this.#updateWebhook();
    if (this.#ended || (!isNotified && this.#refreshedAt === this.#webhook.revision)) return !this.#ended;
    this.#refreshedAt = this.#webhook.revision;
    for (const window of this.#windows) window.setStoredDueAt(Number.NEGATIVE_INFINITY);
    this.#readWasUseless = false;
    this.#startDue();
    return true;
  }

  /** Updates the webhook record from the last read. */
  #updateWebhook(): void {
    const webhook = this.#parts.webhooks.find(this.#webhook.id);
    if (webhook === this.#webhook || this.#ended) return;
    if (!webhook) return void this.#leave();
    this.#webhook = webhook;
    this.#sender.update(webhook);
    // After a pause the deliveries are read from the store, in their order.
    if (webhook.pausedAt !== null) for (const window of this.#windows) window.clear();
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
        this.#startDue();
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
  #startDue(): void {
    this.#updateWebhook();
    if (this.#ended) return;
    const { gate, webhooks, run } = this.#parts;
    const state = gate.state(this.#webhook, webhooks.readAt);
    if (state === 'closed') return;
    this.#timer?.cancel();
    const now = run.store.now();
    for (const window of this.#windows) {
      if (state === 'stale' && window.hasDue(now)) {
        this.#readAgain();
        return;
      }
      for (let next = window.takeDue(now); next; next = window.takeDue(now)) this.#begin(next, window);
    }
    const dueAt = Math.min(...this.#windows.map((window) => window.nextDueAt(now)));
    if (Number.isFinite(dueAt)) this.#timer = run.runtime.after(dueAt - now, () => this.#startDue());
    if (!this.#readWasUseless && this.#windows.some((window) => window.needsLoad(now))) this.#load();
  }

  /**
   * Sends nothing until the read has finished. While the store is unavailable nothing is sent, because another process may have deleted the
   * webhook.
   */
  #readAgain(): void {
    if (this.#reading) return;
    this.#reading = true;
    const { webhooks, run } = this.#parts;
    void webhooks
      .refresh()
      .catch(() => sleep(run.runtime, retryLoadMs))
      .then(() => {
        this.#reading = false;
        this.#startDue();
      });
  }

  #load(): void {
    this.#loading ??= this.#loadMore().finally(() => {
      this.#loading = null;
      this.#startDue();
    });
  }

  async #loadMore(): Promise<void> {
    const { run, reader } = this.#parts;
    const { account, id } = this.#webhook;
    let useful = false;
    for (const window of this.#windows) {
      if (!window.needsLoad(run.store.now())) continue;
      window.beginLoad();
      try {
        const found = await reader.waiting(account, id, window === this.#replayed, maxInMemory);
        const last = found.at(-1);
        if (last && found.length === maxInMemory) window.setStoredDueAt(dueAt(last));
        else useful = true;
        for (const each of found) {
          useful = this.#place({ ...each, nextAt: dueAt(each) }, window) || useful;
        }
      } catch {
        await sleep(run.runtime, retryLoadMs);
        window.setStoredDueAt(Number.NEGATIVE_INFINITY);
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
    this.#written = this.#parts.results.write(result).then(async () => {
      await this.#loading;
      const left = (this.#unwritten.get(event) ?? 1) - 1;
      if (left > 0) this.#unwritten.set(event, left);
      else this.#unwritten.delete(event);
      if (!this.#readWasUseless) return;
      this.#readWasUseless = false;
      this.#startDue();
    });
  }

  #begin(delivery: QueuedDelivery, window: DeliveryWindow): void {
    window.inFlight += 1;
    this.#inFlight.set(delivery.event, this.#attempt(delivery, window));
  }

  async #attempt(delivery: QueuedDelivery, window: DeliveryWindow): Promise<void> {
    const { webhooks } = this.#parts;
    const beginning = this.#bodyOf(delivery, this.#beginning);
    this.#beginning = beginning;
    const body = await beginning;
    const result = body === undefined ? null : await this.#sender.send(delivery, body);
    if (result) this.#write(result);
    this.#inFlight.delete(delivery.event);
    window.inFlight -= 1;
    // An attempt that was aborted or not begun does not count as failed. If the webhook has a new URL, the delivery is sent there.
    const { attempts, nextAt } = result ?? delivery;
    if (nextAt !== null) this.#keep({ ...delivery, attempts, nextAt }, window);
    // If the store fails to invalidate the webhook, the queue continues.
    if (result?.last.responseCode === 410) void webhooks.invalidate(result.webhook).then(() => this.#startDue());
    this.#startDue();
  }

  /**
   * Waits until an attempt may begin, and returns its body. Returns `undefined` if the attempt may not begin, because
   * the queue has ended, the webhook was changed or the store failed.
   */
  async #bodyOf({ poller, event }: QueuedDelivery, earlier: Promise<unknown>): Promise<string | null | undefined> {
    const { reader, gate, webhooks, run } = this.#parts;
    try {
      const body = (await webhooks.isGone()) ? null : await reader.body(this.#webhook.account, poller, event);
      // The attempts of 100 webhooks may begin together, and signing a large body takes half a millisecond.
      await turn();
      await earlier;
      // Returning the attempt to the queue here would change the order.
      while (!this.#ended && gate.state(this.#webhook, webhooks.readAt) === 'stale') {
        await webhooks.refresh();
        this.#updateWebhook();
      }
      return !this.#ended && gate.state(this.#webhook, webhooks.readAt) === 'open' ? body : undefined;
    } catch {
      await sleep(run.runtime, retryLoadMs);
      return undefined;
    }
  }
}

/** Returns the time of the next attempt. The first one is due at once, also after the store's clock was set back. */
function dueAt({ attempts, nextAt }: WaitingDelivery): number {
  return attempts === 0 ? 0 : (nextAt ?? 0);
}
