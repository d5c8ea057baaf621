import { LRUCache } from 'lru-cache';
import { type Runtime, repeat } from '../../shared/runtime/runtime.ts';
import type { Store, WebhookRecord } from '../../store/port.ts';

/** Far more than the webhooks that are deleted or moved while a process still has older records of them. */
const mostRetired = 10_000;
/** How often a webhook is looked up while something is sent to it, since another process may delete it. */
const lookMs = 400;
/** A request may still begin this long, plus the time of one read, after another process has deleted the webhook. */
export const freshMs = 500;

/** A webhook as it was read. `revision` and `url` are missing if the request goes to another URL than the record's. */
export type Addressee = Pick<WebhookRecord, 'account' | 'id'> & Partial<Pick<WebhookRecord, 'revision' | 'url'>>;

/**
 * Decides to which webhooks this process may still send; nothing else does. Everything that sends to a receiver asks
 * here first, and follows the webhook with a `WebhookWatch` while a request runs.
 *
 * When a request deletes a webhook or changes its URL, the older records of it that queues and handshakes still hold are
 * retired: nothing more is sent with them, and running requests are aborted. Changes by other processes are found by
 * reading the webhook again.
 */
export class SendGate {
  readonly #parts: { store: Store; runtime: Runtime };
  /** The oldest revision of each webhook that may still be used. */
  readonly #oldest = new LRUCache<string, number>({ max: mostRetired });
  readonly #watches = new Map<string, Set<WebhookWatch>>();

  constructor(parts: { store: Store; runtime: Runtime }) {
    this.#parts = parts;
  }

  /** Returns whether requests may be sent to a webhook that was read at this time. `stale`: it must be read again first. */
  state(webhook: WebhookRecord, readAt: number): 'open' | 'stale' | 'closed' {
    if (!webhook.valid || this.#isRetired(webhook.id, webhook.revision)) return 'closed';
    return Math.abs(this.#parts.runtime.now() - readAt) < freshMs ? 'open' : 'stale';
  }

  /** Retires the records of a webhook below this revision; `Infinity` retires all of them. */
  retire(id: string, below: number): void {
    this.#oldest.set(id, Math.max(below, this.#oldest.get(id) ?? 0));
    for (const watch of [...(this.#watches.get(id) ?? [])]) if (watch.revision < below) watch.abort();
  }

  /** To be called when a webhook is created, because one with the same id may have been deleted before. */
  admit(id: string): void {
    this.#oldest.delete(id);
  }

  /** Returns a watch, which must be ended. */
  watch(addressee: Addressee): WebhookWatch {
    const { id } = addressee;
    const watches = this.#watches.get(id) ?? new Set();
    const watch: WebhookWatch = new WebhookWatch(addressee, () => {
      watches.delete(watch);
      if (watches.size === 0 && this.#watches.get(id) === watches) this.#watches.delete(id);
    });
    this.#watches.set(id, watches.add(watch));
    if (this.#isRetired(id, watch.revision)) watch.abort();
    return watch;
  }

  /**
   * Runs `send` with a signal that is aborted when any process deletes the webhook or changes its URL. Returns `null` if the
   * signal is aborted, even before `send` begins.
   */
  async during<Result>(addressee: Addressee, send: (signal: AbortSignal) => Promise<Result>): Promise<Result | null> {
    const { store, runtime } = this.#parts;
    const { account, id } = addressee;
    const watch = this.watch(addressee);
    const looking = repeat(runtime, lookMs, async () => {
      // If the store is away, the webhook is looked up again after the next interval.
      const found = await store.webhooks.find(account, id).catch(() => undefined);
      if (found !== undefined) watch.saw(found);
    });
    try {
      const result = watch.signal.aborted ? null : await send(watch.signal);
      return watch.signal.aborted ? null : result;
    } finally {
      looking.cancel();
      watch.end();
    }
  }

  #isRetired(id: string, revision: number): boolean {
    return revision < (this.#oldest.get(id) ?? 0);
  }
}

/** Follows one webhook while something is sent to it. */
export class WebhookWatch {
  readonly #aborting = new AbortController();
  readonly #url: string | undefined;
  readonly #onEnd: () => void;
  #revision: number;

  constructor({ revision, url }: Addressee, onEnd: () => void) {
    // Requests to a URL that the record does not have yet are retired by a deletion only.
    this.#revision = revision ?? Number.MAX_SAFE_INTEGER;
    this.#url = url;
    this.#onEnd = onEnd;
  }

  /** Aborted when the webhook is deleted or its URL changes. */
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  /** The revision of the newest record with this URL that was read. */
  get revision(): number {
    return this.#revision;
  }

  /** To be called when the webhook was read again; `null` means that it is deleted. */
  saw(found: WebhookRecord | null): void {
    if (found === null || (this.#url !== undefined && found.url !== this.#url)) this.abort();
    else this.#revision = Math.max(this.#revision, found.revision);
  }

  abort(): void {
    this.#aborting.abort();
    this.end();
  }

  end(): void {
    this.#onEnd();
  }
}
