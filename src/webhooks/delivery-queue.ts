import { type Runtime, sleep, type Timer } from '../runtime/runtime.ts';
import type { DeliveryResult, WaitingDelivery, WebhookRecord } from '../store/port.ts';
import { excerptOf, type Receivers } from './receiver.ts';
import { readRetryAfter, retryDelayMs } from './retry.ts';
import type { WebhookSecrets, WebhookVault } from './secrets.ts';
import { signedHeaders } from './signed.ts';

/** Attempts that one receiver is asked at a time; of a replay one of them, so that live events keep their way. */
const liveAtOnce = 8;
const replaysAtOnce = 1;
/** Deliveries of one webhook in memory; the store has the rest. */
const keptInMemory = 200;
/** Between two questions to a store that is away. */
const retryLoadMs = 1_000;

export type Waiting = Pick<WaitingDelivery, 'event' | 'attempts' | 'eventAt'> & {
  nextAt: number;
  replayed: boolean;
  /** The exact bytes, or what opens to them. */
  body: string | { sealed: string };
};

export interface QueueParts {
  receivers: Receivers;
  vault: WebhookVault;
  runtime: Runtime;
  /** What waits in the store, in the order of its time. */
  load: (replayed: boolean, limit: number) => Promise<Waiting[]>;
  /** Resolves once it is written down, or never will be. */
  finished: (result: DeliveryResult) => Promise<void>;
  /** The receiver answered 410 (DECISIONS.md). */
  gone: () => void;
  onAttempt: (attempt: {
    outcome: 'delivered' | 'retrying' | 'given_up';
    firstAfterMs: number | null;
    deliveredAfterMs: number | null;
  }) => void;
}

/** What one webhook is to get. Nothing in here waits for another webhook. */
export class DeliveryQueue {
  readonly #parts: QueueParts;
  #webhook: WebhookRecord;
  #secrets: WebhookSecrets;
  readonly #waiting = new Map<string, Waiting>();
  readonly #inFlight = new Set<string>();
  #replaysInFlight = 0;
  /** Attempts that are over, while the store may still say otherwise. */
  readonly #unwritten = new Set<string>();
  /** True where the store may have more than is here. */
  #more = { live: true, replayed: true };
  #loading: Promise<void> | null = null;
  #timer: Timer | undefined;
  #ended = false;

  constructor(webhook: WebhookRecord, parts: QueueParts) {
    this.#parts = parts;
    this.#webhook = webhook;
    this.#secrets = parts.vault.open(webhook);
  }

  get length(): number {
    return this.#waiting.size + this.#inFlight.size;
  }

  /** The webhook was changed, or something was queued in the store. */
  refresh(webhook: WebhookRecord): void {
    if (webhook.revision !== this.#webhook.revision) this.#secrets = this.#parts.vault.open(webhook);
    this.#webhook = webhook;
    this.#more = { live: true, replayed: true };
    this.#go();
  }

  /** A new one, which the store has already. */
  add(delivery: Waiting): void {
    if (this.#waiting.size >= keptInMemory) this.#more.live = true;
    else this.#waiting.set(delivery.event, delivery);
    this.#go();
  }

  /** Begins nothing more. */
  end(): void {
    this.#ended = true;
    this.#timer?.cancel();
  }

  #go(): void {
    if (this.#ended || !this.#webhook.valid) return;
    this.#timer?.cancel();
    const now = this.#parts.runtime.now();
    let soonest = Number.POSITIVE_INFINITY;
    for (const delivery of this.#waiting.values()) {
      if (this.#inFlight.size >= liveAtOnce) break;
      if (this.#inFlight.has(delivery.event)) continue;
      if (delivery.nextAt > now) soonest = Math.min(soonest, delivery.nextAt);
      else if (!delivery.replayed || this.#replaysInFlight < replaysAtOnce) void this.#attempt(delivery);
    }
    if (Number.isFinite(soonest)) this.#timer = this.#parts.runtime.after(soonest - now, () => this.#go());
    if (this.#waiting.size < keptInMemory / 2 && (this.#more.live || this.#more.replayed)) this.#load();
  }

  #load(): void {
    this.#loading ??= this.#loadMore().finally(() => {
      this.#loading = null;
      this.#go();
    });
  }

  async #loadMore(): Promise<void> {
    for (const kind of ['live', 'replayed'] as const) {
      if (!this.#more[kind]) continue;
      this.#more[kind] = false;
      try {
        const found = await this.#parts.load(kind === 'replayed', keptInMemory);
        this.#more[kind] ||= found.length === keptInMemory;
        for (const delivery of found) {
          if (!this.#isKnown(delivery.event)) this.#waiting.set(delivery.event, delivery);
        }
      } catch {
        await sleep(this.#parts.runtime, retryLoadMs);
        this.#more[kind] = true;
      }
    }
  }

  #isKnown(event: string): boolean {
    return this.#inFlight.has(event) || this.#waiting.has(event) || this.#unwritten.has(event);
  }

  /** Not forgotten while the store is asked: it may have answered before it was told. */
  async #write(result: DeliveryResult): Promise<void> {
    this.#unwritten.add(result.event);
    await this.#parts.finished(result);
    while (this.#loading) await this.#loading;
    this.#unwritten.delete(result.event);
  }

  async #attempt(delivery: Waiting): Promise<void> {
    const { receivers, vault, runtime } = this.#parts;
    this.#waiting.delete(delivery.event);
    this.#inFlight.add(delivery.event);
    if (delivery.replayed) this.#replaysInFlight += 1;
    const { account, id, url } = this.#webhook;
    const now = runtime.now();
    const attempt = delivery.attempts + 1;
    const body =
      typeof delivery.body === 'string' ? delivery.body : vault.openBody(account, delivery.event, delivery.body.sealed);
    const headers = signedHeaders({ eventId: delivery.event, attempt, body, now }, this.#secrets);
    const answer = await receivers.post(new URL(url), headers, body);
    const fault =
      'fault' in answer ? answer.fault : answer.status >= 200 && answer.status < 300 ? null : `status ${answer.status}`;
    const retryAfter =
      'status' in answer && [429, 503].includes(answer.status)
        ? readRetryAfter(answer.retryAfter, runtime.now())
        : null;
    const chance = runtime.randomBytes(4).readUInt32LE(0) / 2 ** 32;
    const delayMs = fault === null ? null : retryDelayMs(attempt, chance, retryAfter);
    const nextAt = delayMs === null ? null : runtime.now() + delayMs;
    const state = fault === null ? 'delivered' : nextAt === null ? 'given_up' : 'waiting';
    void this.#write({
      event: delivery.event,
      webhook: id,
      state,
      attempts: attempt,
      nextAt,
      last: {
        at: now,
        durationMs: answer.durationMs,
        responseCode: 'status' in answer ? answer.status : null,
        error: fault,
        excerpt: 'status' in answer ? vault.sealExcerpt(account, delivery.event, id, excerptOf(answer)) : null,
      },
    });
    this.#parts.onAttempt({
      outcome: state === 'waiting' ? 'retrying' : state,
      firstAfterMs: attempt === 1 && !delivery.replayed ? now - delivery.eventAt : null,
      deliveredAfterMs: state === 'delivered' && !delivery.replayed ? runtime.now() - delivery.eventAt : null,
    });
    this.#inFlight.delete(delivery.event);
    if (delivery.replayed) this.#replaysInFlight -= 1;
    if (nextAt !== null) this.#waiting.set(delivery.event, { ...delivery, attempts: attempt, nextAt });
    if ('status' in answer && answer.status === 410) this.#parts.gone();
    this.#go();
  }
}
