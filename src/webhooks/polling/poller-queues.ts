import type { PollerRecord, Store, WebhookRecord } from '../../store/port.ts';
import { DeliveryQueue, type QueueParts } from '../delivery/delivery-queue.ts';
import type { MessagesWait } from '../shared/secrets.ts';

export interface PollerQueuesParts
  extends Pick<QueueParts, 'receivers' | 'vault' | 'runtime' | 'gate' | 'finished' | 'onAttempt'> {
  store: Store;
  poller: Pick<PollerRecord, 'account' | 'id' | 'fence'>;
  onFault: (error: unknown) => void;
}

/** How long, beside the time of one read, something may still be sent to a webhook that another process has deleted. */
const freshMs = 500;

interface Known {
  webhook: WebhookRecord;
  queue: DeliveryQueue;
}

/** The webhooks of one poller, as they were last read, each with its queue. */
export class PollerQueues {
  readonly #parts: PollerQueuesParts;
  readonly #known = new Map<string, Known>();
  #reading: Promise<void> = Promise.resolve();
  /** When `#known` was read. */
  #readAt = Number.NEGATIVE_INFINITY;
  /** The read that is running for `readAgain`; all queues share it. */
  #readingAgain: Promise<void> | null = null;
  #ended = false;

  constructor(parts: PollerQueuesParts) {
    this.#parts = parts;
  }

  get webhooks(): WebhookRecord[] {
    return [...this.#known.values()].map(({ webhook }) => webhook);
  }

  /** Deliveries in memory. */
  get backlog(): number {
    let backlog = 0;
    for (const { queue } of this.#known.values()) backlog += queue.length;
    return backlog;
  }

  /** Those that are to get events of this type. They are kept from first validity on, also while it is invalid (DECISIONS.md). */
  wanting(type: string): Known[] {
    return [...this.#known.values()].filter(
      ({ webhook: { keptSince, events } }) => keptSince !== null && (events === null || events.includes(type)),
    );
  }

  /**
   * Reads them anew. `woken`: something may have been queued for any of them. One reading after the other, so that an older
   * one never replaces a newer.
   */
  read(woken: boolean): Promise<void> {
    const reading = this.#reading.then(() => this.#readNow(woken));
    this.#reading = reading.catch(() => {});
    return reading;
  }

  /** From where its messages wait; `null` where none do. */
  messagesWait(webhook: WebhookRecord): MessagesWait | null {
    const { vault, poller } = this.#parts;
    const { messagesWait } = vault.open(webhook);
    return messagesWait?.poller === poller.id ? messagesWait : null;
  }

  /** Unless they wait from an earlier place on. A code that was `refused` is not tried again until its owner gives another. */
  holdMessages(id: string, behind: number, refused: { code: string; reason: string } | null): Promise<void> {
    const { vault, poller } = this.#parts;
    return this.#rewrite(id, (record) => {
      const secrets = vault.open(record);
      const before = this.messagesWait(record);
      const isHeld = before !== null && before.fence >= poller.fence;
      const isRefused = refused?.code === secrets.encryptionCode && !secrets.codeRefused;
      if (isHeld && !isRefused) return null;
      const sealed = vault.seal(record, {
        ...secrets,
        ...(!isHeld && { messagesWait: { behind, ...before, poller: poller.id, fence: poller.fence } }),
        ...(isRefused && { codeRefused: refused.reason }),
      });
      return { ...record, sealed };
    });
  }

  /** Those up to a place were dealt with; `null`: all of them. What the next run of the poller relies on stays. */
  releaseMessages(id: string, upTo: number | null): Promise<void> {
    const { vault, poller } = this.#parts;
    return this.#rewrite(id, (record) => {
      const before = this.messagesWait(record);
      if (before === null || before.fence > poller.fence) return null;
      const { messagesWait: _before, ...secrets } = vault.open(record);
      const messagesWait = upTo === null ? {} : { messagesWait: { ...before, behind: upTo } };
      return { ...record, sealed: vault.seal(record, { ...secrets, ...messagesWait }) };
    });
  }

  /** Begins nothing more; resolves when what was begun is over, and written down. */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all([...this.#known.values()].map(({ queue }) => queue.end()));
  }

  async #readNow(woken: boolean): Promise<void> {
    const { account, id: poller } = this.#parts.poller;
    const { store, runtime } = this.#parts;
    const readAt = runtime.now();
    const webhooks = await store.webhooks.ofPoller(account, poller);
    if (this.#ended) return;
    // Even if the store was slow, the read counts as fresh for half of `freshMs`, so that deliveries continue.
    this.#readAt = Math.max(readAt, runtime.now() - freshMs / 2);
    const ids = new Set(webhooks.map(({ id }) => id));
    for (const [id, { queue }] of this.#known) {
      if (ids.has(id)) continue;
      this.#known.delete(id);
      void queue.end();
      // One that moved to another poller finishes what it has begun. If the store cannot tell, the webhook counts as deleted.
      const moved = await store.webhooks.find(account, id).catch(() => null);
      if (!moved) queue.abandon();
    }
    for (const webhook of webhooks) {
      const known = this.#known.get(webhook.id);
      const queue = known?.queue ?? this.#queueFor(webhook);
      this.#known.set(webhook.id, { webhook, queue });
      if (woken || known?.webhook.revision !== webhook.revision) queue.refresh(webhook);
    }
  }

  #queueFor(webhook: WebhookRecord): DeliveryQueue {
    const { store, poller, onFault, receivers, vault, runtime, gate, finished, onAttempt } = this.#parts;
    const { account } = poller;
    const { id } = webhook;
    const gone = 'The receiver answered 410 Gone: nothing more is sent until it is validated again';
    return new DeliveryQueue(webhook, {
      ...{ receivers, vault, runtime, gate, finished, onAttempt },
      isFresh: () => Math.abs(runtime.now() - this.#readAt) < freshMs,
      readAgain: () => {
        this.#readingAgain ??= this.read(false).finally(() => {
          this.#readingAgain = null;
        });
        return this.#readingAgain;
      },
      load: async (replayed, limit) =>
        (await store.deliveries.waiting(account, id, replayed, limit)).map((waiting) => ({
          ...waiting,
          nextAt: waiting.nextAt ?? 0,
          body: { sealed: waiting.sealed },
        })),
      gone: () =>
        void this.#rewrite(id, (record) => ({ ...record, valid: false, lastError: gone })).catch((error) => {
          onFault(error);
          this.#known.get(id)?.queue.refresh(webhook);
        }),
    });
  }

  /** Until nobody else changed it in between; `null` leaves it as it is. */
  async #rewrite(id: string, change: (record: WebhookRecord) => WebhookRecord | null): Promise<void> {
    const { store, poller } = this.#parts;
    for (;;) {
      const record = await store.webhooks.find(poller.account, id);
      if (record?.poller !== poller.id) return;
      const changed = change(record);
      if (changed === null || (await store.webhooks.update(changed))) return;
    }
  }
}
