import { chance, type Runtime, sleep, type Timer } from '../../shared/runtime/runtime.ts';
import type { DeliveryResult, Store, WebhookRecord } from '../../store/port.ts';
import type { PollerMonitor } from '../shared/poller-run.ts';
import { AttemptSender, type AttemptSenderParts } from './attempt-sender.ts';
import { DeliveryWindow, keptInMemory, type QueuedDelivery } from './delivery-window.ts';
import type { PollerWebhooks } from './poller-webhooks.ts';
import { excerptOf, type ReceiverAnswer, type ReceiverFault } from './receiver.ts';
import type { ResultWriter } from './result-writer.ts';
import { readRetryAfter, retryDelayMs } from './retry.ts';

/** Attempts that one receiver gets at a time. A replay has one attempt besides, so that it does not delay live events. */
const liveAtOnce = 8;
const replaysAtOnce = 1;
/** The pause after a failed read of the store. */
const retryLoadMs = 1_000;

export interface DeliveryQueueParts extends AttemptSenderParts {
  store: Store;
  runtime: Runtime;
  webhooks: PollerWebhooks;
  results: ResultWriter;
  monitor: PollerMonitor;
}

/** Schedules the deliveries of one webhook. No webhook waits for another one. */
export class DeliveryQueue {
  readonly #parts: DeliveryQueueParts;
  #webhook: WebhookRecord;
  readonly #sender: AttemptSender;
  readonly #live = new DeliveryWindow(liveAtOnce);
  readonly #replayed = new DeliveryWindow(replaysAtOnce);
  readonly #inFlight = new Map<string, Promise<void>>();
  #refreshedAt: number | null = null;
  #reading = false;
  /** The number of attempts of each event whose results are not stored yet. The store still has older data of these events. */
  readonly #unwritten = new Map<string, number>();
  readonly #writes = new Set<Promise<void>>();
  #loading: Promise<void> | null = null;
  /** The last read was a full page of known deliveries. The store is not read again before a result is stored. */
  #readWasUseless = false;
  #timer: Timer | undefined;
  #ended = false;

  constructor(webhook: WebhookRecord, parts: DeliveryQueueParts) {
    this.#parts = parts;
    this.#webhook = webhook;
    this.#sender = new AttemptSender(webhook, parts);
  }

  get length(): number {
    return this.#live.length + this.#replayed.length + this.#inFlight.size;
  }

  /** True after `end`, and when the webhook has left the poller. */
  get isEnded(): boolean {
    return this.#ended;
  }

  /** The revision of the webhook at the last `refresh`. */
  get refreshedAt(): number | null {
    return this.#refreshedAt;
  }

  /** To be called when the webhook was changed or deliveries were queued in the store. */
  refresh(): void {
    this.see();
    this.#refreshedAt = this.#webhook.revision;
    for (const window of [this.#live, this.#replayed]) window.restFrom(Number.NEGATIVE_INFINITY);
    this.#readWasUseless = false;
    this.#go();
  }

  /** Takes over the webhook as it was last read. */
  see(): void {
    const webhook = this.#parts.webhooks.find(this.#webhook.id);
    if (webhook === this.#webhook || this.#ended) return;
    if (!webhook) return void this.#leave();
    this.#webhook = webhook;
    this.#sender.saw(webhook);
  }

  /** Adds a new delivery, which is already stored. */
  add(delivery: QueuedDelivery): void {
    this.#live.add(delivery);
    this.#go();
  }

  /** Starts no more attempts. Resolves when the results of the running attempts are stored. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#timer?.cancel();
    await Promise.all(this.#inFlight.values());
    await Promise.all(this.#writes);
  }

  /** The webhook left the poller. If it was deleted, running attempts are aborted; if it has another poller now, they finish. */
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
    const now = this.#parts.runtime.now();
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

  /** Continues after the read. While the store is away nothing is sent, because another process may have deleted the webhook. */
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
    const { runtime, store } = this.#parts;
    const { account, id } = this.#webhook;
    let useful = false;
    for (const window of [this.#live, this.#replayed]) {
      if (!window.wantsMore(runtime.now())) continue;
      window.asking();
      try {
        const found = await store.deliveries.waiting(account, id, window === this.#replayed, keptInMemory);
        const last = found.at(-1);
        if (last && found.length === keptInMemory) window.restFrom(last.nextAt ?? 0);
        else useful = true;
        for (const each of found) {
          const delivery = { ...each, nextAt: each.nextAt ?? 0, body: { sealed: each.sealed } };
          useful = this.#place(delivery, window) || useful;
        }
      } catch {
        await sleep(runtime, retryLoadMs);
        window.restFrom(Number.NEGATIVE_INFINITY);
        useful = true;
      }
    }
    this.#readWasUseless = !useful;
  }

  /** Takes a delivery over from the store. A replay may have changed its window and time. Returns false if nothing is new. */
  #place(delivery: QueuedDelivery, window: DeliveryWindow): boolean {
    const { event } = delivery;
    if (this.#inFlight.has(event) || this.#unwritten.has(event)) return false;
    const known = this.#live.remove(event) ?? this.#replayed.remove(event);
    window.add(known ? { ...delivery, body: known.body } : delivery);
    return known?.nextAt !== delivery.nextAt || known.replayed !== delivery.replayed;
  }

  /** Stores a result. The event stays in `#unwritten` while a read runs, because the read may have begun before the write. */
  async #write(result: DeliveryResult): Promise<void> {
    const { event } = result;
    this.#unwritten.set(event, (this.#unwritten.get(event) ?? 0) + 1);
    await this.#parts.results.write(result);
    await this.#loading;
    const left = (this.#unwritten.get(event) ?? 1) - 1;
    if (left > 0) this.#unwritten.set(event, left);
    else this.#unwritten.delete(event);
    if (!this.#readWasUseless) return;
    this.#readWasUseless = false;
    this.#go();
  }

  #begin(delivery: QueuedDelivery, window: DeliveryWindow): void {
    window.inFlight += 1;
    const attempt = this.#attempt(delivery, window).finally(() => {
      if (this.#inFlight.get(delivery.event) === attempt) this.#inFlight.delete(delivery.event);
    });
    this.#inFlight.set(delivery.event, attempt);
  }

  async #attempt(delivery: QueuedDelivery, window: DeliveryWindow): Promise<void> {
    const { vault, runtime } = this.#parts;
    const { account, id } = this.#webhook;
    const { event, replayed, eventAt } = delivery;
    const now = runtime.now();
    const attempts = delivery.attempts + 1;
    const answer = await this.#sender.send(delivery, attempts, now);
    if (answer === null) {
      // The attempt did not fail. The delivery goes to the new URL, if there is one.
      this.#inFlight.delete(event);
      window.inFlight -= 1;
      window.add(delivery);
      return this.#go();
    }
    const status = 'status' in answer ? answer.status : null;
    const fault =
      'fault' in answer ? answer.fault : answer.status >= 200 && answer.status < 300 ? null : `status ${answer.status}`;
    const delayMs = fault === null ? null : this.#delayMs(answer, attempts);
    const nextAt = delayMs === null ? null : runtime.now() + delayMs;
    const state = fault === null ? 'delivered' : nextAt === null ? 'given_up' : 'waiting';
    const excerpt = 'status' in answer ? vault.sealExcerpt(account, event, id, excerptOf(answer)) : null;
    const last = { at: now, durationMs: answer.durationMs, responseCode: status, error: fault, excerpt };
    const write = this.#write({ event, webhook: id, state, attempts, nextAt, last });
    this.#writes.add(write);
    void write.finally(() => this.#writes.delete(write));
    this.#parts.monitor.attempted({
      outcome: state === 'waiting' ? 'retrying' : state,
      firstAfterMs: attempts === 1 && !replayed ? now - eventAt : null,
      deliveredAfterMs: state === 'delivered' && !replayed ? runtime.now() - eventAt : null,
    });
    this.#inFlight.delete(event);
    window.inFlight -= 1;
    if (nextAt !== null) window.add({ ...delivery, attempts, nextAt });
    // If the store refuses it, the queue continues.
    if (status === 410) void this.#parts.webhooks.invalidate(id).then(() => this.#go());
    this.#go();
  }

  #delayMs(answer: ReceiverAnswer | ReceiverFault, attempts: number): number | null {
    const { runtime } = this.#parts;
    const asked = 'status' in answer && [429, 503].includes(answer.status) ? answer.retryAfter : null;
    return retryDelayMs(attempts, chance(runtime), readRetryAfter(asked, runtime.now()));
  }
}
