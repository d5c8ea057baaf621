import { PosternError } from '../errors/postern-error.ts';
import type { PlatformEvent } from '../model/event.ts';
import type { ForwardProxy } from '../outbound/proxy.ts';
import type { Platform, PlatformSession } from '../platform/port.ts';
import { type Runtime, sleep, type Timer } from '../runtime/runtime.ts';
import { Secret } from '../secrets/secret.ts';
import type { DeliveryResult, PollerRecord, Store, WebhookRecord } from '../store/port.ts';
import { checkReceiver } from './crc.ts';
import { DeliveryQueue, type QueueParts, type Waiting } from './delivery-queue.ts';
import { eventBody } from './event-body.ts';
import { pauseAfterFaultMs, pauseMs } from './pace.ts';
import type { Receivers } from './receiver.ts';
import type { WebhookVault } from './secrets.ts';

const eventsAtOnce = 100;
const flushMs = 5;
const recheckMs = 24 * 3_600_000;
/** How long faults of the network may go on before a webhook becomes invalid (DECISIONS.md). */
const toleratedMs = 28 * 3_600_000;

export interface PollerParts {
  store: Store;
  platform: Platform;
  vault: WebhookVault;
  receivers: Receivers;
  runtime: Runtime;
  readProxy: (text: Secret) => ForwardProxy;
  onAttempt: QueueParts['onAttempt'];
  /** Events reached the store, so long after the platform's time of each. */
  onAppended: (poller: string, afterMs: readonly number[]) => void;
  onFault: (error: unknown, poller: PollerRecord | null) => void;
  /** This process does not run it any more. */
  onLost: () => void;
}

/** One poller while this process runs it: asks the platform, appends what happened, and feeds its webhooks. */
export class RunningPoller {
  readonly #parts: PollerParts;
  readonly record: PollerRecord;
  #cursor: string | null;
  #stopped: boolean;
  readonly #queues = new Map<string, { webhook: WebhookRecord; queue: DeliveryQueue }>();
  #results: { result: DeliveryResult; done: () => void }[] = [];
  #flushing: Timer | undefined;
  #timer: Timer | undefined;
  #quietSince: number;
  #faults = 0;
  #polling: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(record: PollerRecord, parts: PollerParts) {
    this.#parts = parts;
    this.record = record;
    this.#cursor = record.cursor;
    this.#stopped = record.stopped !== null;
    this.#quietSince = parts.runtime.now();
  }

  /** Deliveries in memory. */
  get backlog(): number {
    return [...this.#queues.values()].reduce((sum, { queue }) => sum + queue.length, 0);
  }

  /** Reads its webhooks, at the start and whenever one of them was changed. */
  async refresh(record = this.record): Promise<void> {
    const { store, runtime } = this.#parts;
    const webhooks = await store.webhooks.ofPoller(record.account, record.id);
    if (this.#ended) return;
    const ids = new Set(webhooks.map(({ id }) => id));
    for (const [id, { queue }] of this.#queues) {
      if (ids.has(id)) continue;
      queue.end();
      this.#queues.delete(id);
    }
    for (const webhook of webhooks) {
      const known = this.#queues.get(webhook.id);
      const queue = known?.queue ?? this.#queueFor(webhook);
      this.#queues.set(webhook.id, { webhook, queue });
      queue.refresh(webhook);
    }
    this.#stopped = record.stopped !== null;
    this.#quietSince = runtime.now();
    this.#pollIn(0);
  }

  /** Begins nothing more; resolves when what was begun on the platform is over. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#timer?.cancel();
    for (const { queue } of this.#queues.values()) queue.end();
    await this.#polling;
    await this.#flush();
  }

  #pollIn(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#ended || this.#stopped) return;
    this.#timer = this.#parts.runtime.after(delayMs, () => {
      this.#polling = this.#polling.then(() => this.#poll());
    });
  }

  async #poll(): Promise<void> {
    const { runtime } = this.#parts;
    if (this.#ended || this.#stopped) return;
    try {
      const { events, cursor } = await this.#session().activity({ count: eventsAtOnce, cursor: this.#cursor });
      if (events.length > 0 || this.#cursor === null) await this.#append(events, cursor);
      this.#faults = 0;
      await this.#recheck();
      if (events.length > 0) this.#quietSince = runtime.now();
      this.#pollIn(events.length === eventsAtOnce ? 0 : pauseMs(runtime.now() - this.#quietSince));
    } catch (error) {
      await this.#afterFault(error);
    }
  }

  #session(): PlatformSession {
    const { platform, vault, readProxy } = this.#parts;
    const { authToken, proxy } = vault.openPoller(this.record);
    return platform.as({
      authToken: new Secret(authToken),
      proxy: proxy === null ? null : readProxy(new Secret(proxy)),
      signal: null,
      tokenFor: () => {
        throw new Error('a poller writes nothing');
      },
    });
  }

  async #append(events: readonly PlatformEvent[], cursor: string): Promise<void> {
    const { store, vault, runtime, onAppended, onLost } = this.#parts;
    const { account } = this.record;
    const made = events.map((event) => {
      const id = vault.eventId(account, event.id, event.type);
      const body = eventBody(id, event);
      return { id, type: event.type, body, createdAt: Date.parse(event.createdAt) };
    });
    const wanted = made.flatMap((event) =>
      [...this.#queues.values()]
        .filter(({ webhook }) => wants(webhook, event.type))
        .map(({ webhook, queue }) => ({ event, webhook, queue })),
    );
    const outcome = await store.events.append({
      poller: this.record,
      cursor,
      events: made.map(({ id, type, body }) => ({ id, type, sealed: vault.sealBody(account, id, body) })),
      deliveries: wanted.map(({ event, webhook }) => ({ event: event.id, webhook: webhook.id })),
    });
    if (outcome === 'superseded') return onLost();
    this.#cursor = cursor;
    const now = runtime.now();
    if (made.length > 0)
      onAppended(
        this.record.id,
        made.map(({ createdAt }) => now - createdAt),
      );
    for (const { event, queue } of wanted) {
      queue.add({ event: event.id, body: event.body, attempts: 0, nextAt: now, replayed: false, eventAt: now });
    }
  }

  async #afterFault(error: unknown): Promise<void> {
    const { runtime, onFault } = this.#parts;
    const known = error instanceof PosternError ? error : null;
    if (known?.code === 'forbidden' || known?.code === 'bad_input' || known?.code === 'not_supported') {
      await this.#stop(known.message).catch((fault) => onFault(fault, this.record));
      return;
    }
    onFault(error, this.record);
    const chance = runtime.randomBytes(4).readUInt32LE(0) / 2 ** 32;
    this.#pollIn(pauseAfterFaultMs(this.#faults++, known?.retryAfterSeconds, chance));
  }

  /** What the platform refuses it will refuse again: it waits for its owner, who is told. */
  async #stop(reason: string): Promise<void> {
    const { store, onLost } = this.#parts;
    this.#stopped = true;
    if (!(await store.pollers.stop(this.record, reason))) return onLost();
    const told = `Not polled any more: ${reason}. PUT /webhooks/{id} with new credentials goes on`;
    for (const { webhook } of this.#queues.values()) await store.webhooks.update({ ...webhook, lastError: told });
  }

  #queueFor(webhook: WebhookRecord): DeliveryQueue {
    const { store, receivers, vault, runtime, onAttempt } = this.#parts;
    const { account, id } = webhook;
    return new DeliveryQueue(webhook, {
      ...{ receivers, vault, runtime, onAttempt },
      load: async (replayed, limit) =>
        (await store.deliveries.waiting(account, id, replayed, limit)).map(
          (waiting): Waiting => ({
            ...waiting,
            nextAt: waiting.nextAt ?? 0,
            body: { sealed: waiting.sealed },
          }),
        ),
      finished: (result) => this.#note(result),
      gone: () =>
        void this.#invalidate(id, 'The receiver answered 410 Gone: nothing more is sent until it is validated again'),
    });
  }

  /** Results of one moment are written together. */
  #note(result: DeliveryResult): Promise<void> {
    return new Promise((done) => {
      this.#results.push({ result, done });
      this.#flushing ??= this.#parts.runtime.after(flushMs, () => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    const { store, runtime, onLost, onFault } = this.#parts;
    const batch = this.#results;
    this.#results = [];
    this.#flushing = undefined;
    if (batch.length === 0) return;
    for (;;) {
      try {
        const outcome = await store.deliveries.finish(
          this.record,
          batch.map(({ result }) => result),
        );
        if (outcome === 'superseded') onLost();
        break;
      } catch (error) {
        onFault(error, this.record);
        // Not written down, they would be delivered again by whoever comes next.
        if (this.#ended) break;
        await sleep(runtime, 1_000);
      }
    }
    for (const { done } of batch) done();
  }

  async #invalidate(id: string, reason: string): Promise<void> {
    const { store, onFault } = this.#parts;
    try {
      const webhook = await store.webhooks.find(this.record.account, id);
      if (webhook?.valid) await store.webhooks.update({ ...webhook, valid: false, lastError: reason });
    } catch (error) {
      onFault(error, this.record);
    }
  }

  /** The CRC again, once a day for each webhook that is valid. */
  async #recheck(): Promise<void> {
    const { store, receivers, vault } = this.#parts;
    const now = store.now();
    for (const { webhook } of this.#queues.values()) {
      const since = webhook.lastValidatedAt ?? now;
      if (!webhook.valid || now - since < recheckMs) continue;
      const crc = await checkReceiver(receivers, new URL(webhook.url), vault.open(webhook).secret);
      const failingSince = webhook.failingSince ?? now;
      const valid = crc.result === 'passed' || (crc.result === 'unreachable' && now - failingSince < toleratedMs);
      await store.webhooks.update({
        ...webhook,
        valid,
        ...(crc.result === 'passed'
          ? { lastValidatedAt: now, failingSince: null, lastError: null }
          : { failingSince, lastError: crc.reason }),
      });
    }
  }
}

/** Events are kept from first validity on, also while it is invalid (DECISIONS.md). */
function wants(webhook: WebhookRecord, type: string): boolean {
  if (webhook.keptSince === null) return false;
  return webhook.events === null || webhook.events.includes(type);
}
