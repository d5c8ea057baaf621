import { chance, type Runtime, sleep, type Timer } from '../../shared/runtime/runtime.ts';
import type { DeliveryResult, Store, WebhookRecord } from '../../store/port.ts';
import type { PollerMonitor } from '../shared/poller-run.ts';
import type { WebhookSecrets, WebhookVault } from '../shared/secrets.ts';
import { unpackEvent } from '../shared/stored-event.ts';
import { DeliveryWindow, keptInMemory, type QueuedDelivery } from './delivery-window.ts';
import type { PollerWebhooks } from './poller-webhooks.ts';
import { excerptOf, type ReceiverAnswer, type ReceiverFault, type Receivers } from './receiver.ts';
import type { ResultWriter } from './result-writer.ts';
import { readRetryAfter, retryDelayMs } from './retry.ts';
import type { SendGate, WebhookWatch } from './send-gate.ts';
import { signedHeaders } from './signed.ts';

/** Attempts that one receiver is asked at a time; of a replay one beside them, so that live events keep their way. */
const liveAtOnce = 8;
const replaysAtOnce = 1;
/** The reason for which an attempt is aborted when its webhook is deleted or gets another URL. */
const retired = new Error('the webhook was deleted or changed');
/** Between two questions to a store that is away. */
const retryLoadMs = 1_000;

export interface DeliveryQueueParts {
  store: Store;
  receivers: Receivers;
  vault: WebhookVault;
  runtime: Runtime;
  gate: SendGate;
  webhooks: PollerWebhooks;
  results: ResultWriter;
  monitor: PollerMonitor;
}

/** What one webhook is to get. Nothing in here waits for another webhook. */
export class DeliveryQueue {
  readonly #parts: DeliveryQueueParts;
  #webhook: WebhookRecord;
  #opened: { secrets: WebhookSecrets; url: URL } | null = null;
  readonly #live = new DeliveryWindow(liveAtOnce);
  readonly #replayed = new DeliveryWindow(replaysAtOnce);
  readonly #inFlight = new Map<string, Promise<void>>();
  /** The attempts that are running, each with the watch that aborts it. */
  readonly #sending = new Map<AbortController, WebhookWatch>();
  /** Follows the webhook while attempts are running. */
  #watch: WebhookWatch | null = null;
  #refreshedAt: number | null = null;
  #reading = false;
  /** How many attempts of each are over, while the store may still say otherwise. */
  readonly #unwritten = new Map<string, number>();
  readonly #writes = new Set<Promise<void>>();
  #loading: Promise<void> | null = null;
  /** The store has told nothing new: it is not asked again before something was written. */
  #toldNothing = false;
  #timer: Timer | undefined;
  #ended = false;

  constructor(webhook: WebhookRecord, parts: DeliveryQueueParts) {
    this.#parts = parts;
    this.#webhook = webhook;
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

  /** The webhook was changed, or something was queued in the store. */
  refresh(): void {
    this.see();
    this.#refreshedAt = this.#webhook.revision;
    for (const window of [this.#live, this.#replayed]) window.restFrom(Number.NEGATIVE_INFINITY);
    this.#toldNothing = false;
    this.#go();
  }

  /** Takes over the webhook as it was last read. */
  see(): void {
    const webhook = this.#parts.webhooks.find(this.#webhook.id);
    if (webhook === this.#webhook || this.#ended) return;
    if (!webhook) return void this.#leave();
    if (webhook.revision !== this.#webhook.revision) this.#opened = null;
    this.#webhook = webhook;
    this.#watch?.saw(webhook);
  }

  /** A new one, which the store has already. */
  add(delivery: QueuedDelivery): void {
    this.#live.add(delivery);
    this.#go();
  }

  /** Begins nothing more. Resolves once what is under way is over, and written down. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#timer?.cancel();
    await Promise.all(this.#inFlight.values());
    await Promise.all(this.#writes);
  }

  /** The webhook left the poller. If it was deleted, running attempts are aborted; if it has another poller now, they finish. */
  async #leave(): Promise<void> {
    void this.end();
    if (await this.#parts.webhooks.isDeleted(this.#webhook.id)) this.#watch?.abort();
  }

  /** The watch for an attempt that begins now. */
  #follow(): WebhookWatch {
    if (this.#watch && !this.#watch.signal.aborted) return this.#watch;
    const watch = this.#parts.gate.watch(this.#webhook);
    watch.signal.addEventListener('abort', () => {
      for (const [controller, by] of this.#sending) if (by === watch) controller.abort(retired);
    });
    this.#watch = watch;
    return watch;
  }

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
    if (!this.#toldNothing && (this.#live.wantsMore(now) || this.#replayed.wantsMore(now))) this.#load();
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
    let told = false;
    for (const window of [this.#live, this.#replayed]) {
      if (!window.wantsMore(runtime.now())) continue;
      window.asking();
      try {
        const found = await store.deliveries.waiting(account, id, window === this.#replayed, keptInMemory);
        const last = found.at(-1);
        if (last && found.length === keptInMemory) window.restFrom(last.nextAt ?? 0);
        else told = true;
        for (const each of found) {
          const delivery = { ...each, nextAt: each.nextAt ?? 0, body: { sealed: each.sealed } };
          told = this.#place(delivery, window) || told;
        }
      } catch {
        await sleep(runtime, retryLoadMs);
        window.restFrom(Number.NEGATIVE_INFINITY);
        told = true;
      }
    }
    this.#toldNothing = !told;
  }

  /** As the store has it: a replay takes what waited for a later attempt. False where that is no news. */
  #place(delivery: QueuedDelivery, window: DeliveryWindow): boolean {
    const { event } = delivery;
    if (this.#inFlight.has(event) || this.#unwritten.has(event)) return false;
    const known = this.#live.remove(event) ?? this.#replayed.remove(event);
    window.add(known ? { ...delivery, body: known.body } : delivery);
    return known?.nextAt !== delivery.nextAt || known.replayed !== delivery.replayed;
  }

  /** Not forgotten while the store is asked: it may have answered before it was told. */
  async #write(result: DeliveryResult): Promise<void> {
    const { event } = result;
    this.#unwritten.set(event, (this.#unwritten.get(event) ?? 0) + 1);
    await this.#parts.results.write(result);
    await this.#loading;
    const left = (this.#unwritten.get(event) ?? 1) - 1;
    if (left > 0) this.#unwritten.set(event, left);
    else this.#unwritten.delete(event);
    if (!this.#toldNothing) return;
    this.#toldNothing = false;
    this.#go();
  }

  #begin(delivery: QueuedDelivery, window: DeliveryWindow): void {
    window.inFlight += 1;
    const attempt = this.#attempt(delivery, window).finally(() => {
      if (this.#inFlight.get(delivery.event) === attempt) this.#inFlight.delete(delivery.event);
    });
    this.#inFlight.set(delivery.event, attempt);
  }

  async #ask(
    delivery: QueuedDelivery,
    attempt: number,
    now: number,
    ending: AbortController,
  ): Promise<ReceiverAnswer | ReceiverFault> {
    const { receivers, vault } = this.#parts;
    const { event, body: kept } = delivery;
    const webhook = this.#webhook;
    const { account } = webhook;
    let url: URL;
    let body: string;
    let headers: Record<string, string>;
    try {
      this.#opened ??= { secrets: vault.open(webhook), url: new URL(vault.openUrl(webhook)) };
      url = this.#opened.url;
      body = typeof kept === 'string' ? kept : bodyOf(vault.openBody(account, event, kept.sealed));
      headers = signedHeaders({ eventId: event, attempt, body, now }, this.#opened.secrets);
    } catch {
      return { fault: 'not sent: what the service keeps of it does not open', durationMs: 0 };
    }
    return receivers.deliver(account, url, headers, body, ending);
  }

  async #attempt(delivery: QueuedDelivery, window: DeliveryWindow): Promise<void> {
    const { vault, runtime } = this.#parts;
    const { account, id } = this.#webhook;
    const { event, replayed, eventAt } = delivery;
    const now = runtime.now();
    const attempts = delivery.attempts + 1;
    const controller = new AbortController();
    this.#sending.set(controller, this.#follow());
    const answer = await this.#ask(delivery, attempts, now, controller);
    this.#sending.delete(controller);
    if (this.#sending.size === 0) {
      this.#watch?.end();
      this.#watch = null;
    }
    if ('fault' in answer && controller.signal.reason === retired) {
      // Not an attempt that failed: it goes to the new URL, if there is one.
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
    const write = this.#write({ ...{ event, webhook: id, state, attempts, nextAt }, last });
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

/** Throws where it was never opened for a webhook: then none was to get it. */
function bodyOf(kept: string): string {
  const { body } = unpackEvent(kept);
  if (body === null) throw new Error('a message that no webhook can open');
  return body;
}
