import { LRUCache } from 'lru-cache';
import { type Runtime, repeat } from '../../shared/runtime/runtime.ts';
import type { Store, WebhookRecord } from '../../store/port.ts';

/** Far more webhooks than are deleted or moved while a process still holds an older record of them. */
const mostRetired = 10_000;
/** How often a webhook is looked up while something is sent to it, since another process may delete it. */
const lookMs = 400;

/** A webhook as it was read. `url` is missing if the request goes to another URL than the record's. */
export type Addressee = Pick<WebhookRecord, 'account' | 'id' | 'revision'> & Partial<Pick<WebhookRecord, 'url'>>;

/**
 * Decides to which webhooks this process may still send. Everything that sends to a receiver asks here first. When a
 * request deletes a webhook or changes its URL, the older records of it that queues and handshakes still hold are retired:
 * nothing more is sent with them, and running requests are aborted.
 */
export class SendGate {
  readonly #parts: { store: Store; runtime: Runtime };
  /** The oldest revision of each webhook that may still be used. */
  readonly #oldest = new LRUCache<string, number>({ max: mostRetired });
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(parts: { store: Store; runtime: Runtime }) {
    this.#parts = parts;
  }

  isOpen({ id, revision }: Pick<Addressee, 'id' | 'revision'>): boolean {
    return revision >= (this.#oldest.get(id) ?? 0);
  }

  /** Retires the records of a webhook below this revision; `Infinity` retires all of them. */
  retire(id: string, below: number): void {
    this.#oldest.set(id, Math.max(below, this.#oldest.get(id) ?? 0));
    for (const tell of [...(this.#listeners.get(id) ?? [])]) tell();
  }

  /** To be called when a webhook is created, because one with the same id may have been deleted before. */
  admit(id: string): void {
    this.#oldest.delete(id);
  }

  /** Calls `listener` whenever records of this webhook are retired. Returns a function that removes the listener. */
  onRetired(id: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id);
    };
  }

  /**
   * Runs `send` with a signal that is aborted when the webhook is deleted or its URL changes, by any process. The
   * result is `null` then, and also if that had happened before.
   */
  async during<Result>(addressee: Addressee, send: (signal: AbortSignal) => Promise<Result>): Promise<Result | null> {
    if (!this.isOpen(addressee)) return null;
    const { store, runtime } = this.#parts;
    const { account, id, url } = addressee;
    const controller = new AbortController();
    const stop = this.onRetired(id, () => {
      if (!this.isOpen(addressee)) controller.abort();
    });
    const looking = repeat(runtime, lookMs, async () => {
      // A store that is away is asked again.
      const found = await store.webhooks.find(account, id).catch(() => undefined);
      if (found === null || (found && url !== undefined && found.url !== url)) controller.abort();
    });
    try {
      const result = await send(controller.signal);
      return controller.signal.aborted ? null : result;
    } finally {
      looking.cancel();
      stop();
    }
  }
}
