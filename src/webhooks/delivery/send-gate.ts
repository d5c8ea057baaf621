import { LRUCache } from 'lru-cache';
import { upTo } from '../../shared/runtime/lru.ts';
import { type Runtime, repeat } from '../../shared/runtime/runtime.ts';
import type { Store, WebhookRecord } from '../../store/port.ts';

/**
 * The maximum number of retired webhooks in memory. It is far above the number of webhooks that are deleted or moved while a process still
 * has older records of them.
 */
const maxRetired = 10_000;
/**
 * The interval in milliseconds at which a webhook is read again while a request to it is running, because another process may delete it.
 */
const readMs = 400;
/** A request may still begin this many milliseconds, plus the time of one read, after another process has deleted the webhook. */
export const freshMs = 500;

/**
 * The target of a request: a webhook as it was read. The optional fields are missing if the request goes to another URL than the one in
 * the record.
 */
export type WebhookTarget = Pick<WebhookRecord, 'account' | 'id'> &
  Partial<Pick<WebhookRecord, 'revision' | 'url' | 'pausedAt'>>;

/**
 * Decides to which webhooks this process may still send. Every sender asks this class first, and watches the webhook with a `WebhookWatch`
 * while a request is running. When a call deletes or pauses a webhook or changes its URL, older records of the webhook in queues and
 * handshakes are retired: no more requests are sent with them, and running requests are aborted. Changes by other processes are detected by
 * reading the webhook again.
 */
export class SendGate {
  readonly #parts: { store: Store; runtime: Runtime };
  /** The oldest revision of each webhook that may still be used. */
  readonly #oldest = new LRUCache<string, number>(upTo(maxRetired));
  readonly #watches = new Map<string, Set<WebhookWatch>>();

  constructor(parts: { store: Store; runtime: Runtime }) {
    this.#parts = parts;
  }

  /**
   * Returns whether events may be delivered to a webhook that was read at `readAt`. `stale` means that the webhook must be read again first.
   */
  state(webhook: WebhookRecord, readAt: number): 'open' | 'stale' | 'closed' {
    if (!webhook.valid || webhook.pausedAt !== null) return 'closed';
    if (this.#isRetired(webhook.id, webhook.revision)) return 'closed';
    return Math.abs(this.#parts.runtime.now() - readAt) < freshMs ? 'open' : 'stale';
  }

  /** Retires all records of a webhook below this revision. `Infinity` retires all records. */
  retire(id: string, below: number): void {
    this.#oldest.set(id, Math.max(below, this.#oldest.get(id) ?? 0));
    for (const watch of [...(this.#watches.get(id) ?? [])]) if (watch.revision < below) watch.abort();
  }

  /** Must be called when a webhook is created, because a webhook with the same id may have been deleted before. */
  admit(id: string): void {
    this.#oldest.delete(id);
  }

  /** Returns a watch. The caller must end it. */
  watch(target: WebhookTarget): WebhookWatch {
    const { id } = target;
    const watches = this.#watches.get(id) ?? new Set();
    const watch: WebhookWatch = new WebhookWatch(target, () => {
      watches.delete(watch);
      if (watches.size === 0 && this.#watches.get(id) === watches) this.#watches.delete(id);
    });
    this.#watches.set(id, watches.add(watch));
    if (this.#isRetired(id, watch.revision)) watch.abort();
    return watch;
  }

  /**
   * Runs `send` with a signal that is aborted when any process deletes or pauses the webhook or changes its URL. Returns `null` if the
   * signal is aborted, even before `send` begins.
   */
  async during<Result>(target: WebhookTarget, send: (signal: AbortSignal) => Promise<Result>): Promise<Result | null> {
    const { store, runtime } = this.#parts;
    const { account, id } = target;
    const watch = this.watch(target);
    const reading = repeat(runtime, readMs, async () => {
      // If the store is unavailable, the webhook is read again after the next interval.
      const found = await store.webhooks.find(account, id).catch(() => undefined);
      if (found !== undefined) watch.update(found);
    });
    try {
      const result = watch.signal.aborted ? null : await send(watch.signal);
      return watch.signal.aborted ? null : result;
    } finally {
      reading.cancel();
      watch.end();
    }
  }

  #isRetired(id: string, revision: number): boolean {
    return revision < (this.#oldest.get(id) ?? 0);
  }
}

/** Watches one webhook for changes while a request to it is running. */
export class WebhookWatch {
  readonly #controller = new AbortController();
  readonly #url: string | undefined;
  /** True for requests that the owner of a paused webhook asked for. */
  readonly #mayBePaused: boolean;
  readonly end: () => void;
  #revision: number;

  constructor({ revision, url, pausedAt = null }: WebhookTarget, onEnd: () => void) {
    // A request to a URL that is not stored yet is retired only if the webhook is deleted.
    this.#revision = revision ?? Number.MAX_SAFE_INTEGER;
    this.#url = url;
    this.#mayBePaused = pausedAt !== null || url === undefined;
    this.end = onEnd;
  }

  /** Aborted when the webhook is deleted or paused, or its URL changes. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The revision of the newest record with this URL. */
  get revision(): number {
    return this.#revision;
  }

  /** Must be called with the webhook after each read. `null` means that the webhook was deleted. */
  update(found: WebhookRecord | null): void {
    const isMoved = this.#url !== undefined && found?.url !== this.#url;
    const isPaused = !this.#mayBePaused && found !== null && found.pausedAt !== null;
    if (found === null || isMoved || isPaused) this.abort();
    else this.#revision = Math.max(this.#revision, found.revision);
  }

  abort(): void {
    this.#controller.abort();
    this.end();
  }
}
