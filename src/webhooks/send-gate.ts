import { LRUCache } from 'lru-cache';
import type { WebhookRecord } from '../store/port.ts';

/** Far more webhooks than are deleted or moved while a process still holds an older record of them. */
const mostRetired = 10_000;

/** A webhook as it was read: its id, and the revision of the record. */
export type Addressee = Pick<WebhookRecord, 'id' | 'revision'>;

/**
 * Decides to which webhooks this process may still send. Everything that sends to a receiver asks here first. When a
 * request deletes a webhook or changes its URL, the records that others still hold of it are retired: nothing more is
 * sent by them, and what they are sending is aborted.
 */
export class SendGate {
  /** The oldest revision of each webhook that may still be used. */
  readonly #oldest = new LRUCache<string, number>({ max: mostRetired });
  readonly #listeners = new Map<string, Set<() => void>>();

  isOpen({ id, revision }: Addressee): boolean {
    return revision >= (this.#oldest.get(id) ?? 0);
  }

  /** Retires the records of a webhook below this revision; `Infinity` retires all of them. */
  retire(id: string, below: number): void {
    this.#oldest.set(id, Math.max(below, this.#oldest.get(id) ?? 0));
    for (const tell of this.#listeners.get(id) ?? []) tell();
  }

  /** A webhook was created. One of the same id may have been deleted before. */
  admit(id: string): void {
    this.#oldest.delete(id);
  }

  /** Calls `listener` whenever records of this webhook are retired. Returns how to stop that. */
  onRetired(id: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id);
    };
  }

  /** Runs `send` with a signal that is aborted when this record is retired. `null` if it is retired already, or was meanwhile. */
  async during<Result>(addressee: Addressee, send: (signal: AbortSignal) => Promise<Result>): Promise<Result | null> {
    if (!this.isOpen(addressee)) return null;
    const controller = new AbortController();
    const stop = this.onRetired(addressee.id, () => {
      if (!this.isOpen(addressee)) controller.abort();
    });
    try {
      const result = await send(controller.signal);
      return controller.signal.aborted ? null : result;
    } finally {
      stop();
    }
  }
}
