import { PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime, Timer } from '../../shared/runtime/runtime.ts';
import type { PollerRecord, Store } from '../../store/port.ts';
import type { PollerRun } from '../shared/poller-run.ts';
import type { WebhookVault } from '../shared/secrets.ts';

/** How long the platform must be out of reach before webhooks say so (docs/webhooks.md, Stored credentials). */
const toleratedMs = 30_000;

export interface PlatformOutageParts {
  store: Store;
  vault: WebhookVault;
  runtime: Runtime;
  run: PollerRun;
}

/**
 * Keeps `PollerRecord.unreachable` true to what the polls of one poller find: set once the platform has been out of reach
 * for 30 s, cleared by the first poll that works.
 */
export class PlatformOutage {
  readonly #parts: PlatformOutageParts;
  #record: PollerRecord;
  /** Of the first failure in a row. */
  #since: number | null = null;
  #reason = '';
  #timer: Timer | undefined;
  /** The reason to be stored now. */
  #wanted: string | null = null;
  /** `undefined` while it is not known. */
  #stored: string | null | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: PlatformOutageParts) {
    const { record } = parts.run;
    this.#parts = parts;
    this.#record = record;
    this.#stored = record.unreachable === null ? null : undefined;
  }

  /** The record was read again. New credentials have not failed yet. */
  refresh(record: PollerRecord): void {
    // A write may have been under way while it was read.
    this.#stored = undefined;
    if (record.sealed !== this.#record.sealed) this.#reset();
    this.#record = record;
  }

  failed(reason: string): void {
    const { runtime } = this.#parts;
    this.#since ??= runtime.now();
    this.#reason = reason;
    const leftMs = this.#since + toleratedMs - runtime.now();
    if (leftMs <= 0) this.#report();
    // The next poll may be a minute away.
    else this.#timer ??= runtime.after(leftMs, () => this.#report());
  }

  worked(): void {
    this.#reset();
    this.#write();
  }

  /** Resolves when what was begun is over. */
  end(): Promise<void> {
    this.#timer?.cancel();
    return this.#writing;
  }

  #reset(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#since = null;
    this.#wanted = null;
  }

  #report(): void {
    this.#wanted = this.#reason;
    this.#write();
  }

  /** If it fails, the next poll makes it again. */
  #write(): void {
    if (this.#stored === this.#wanted) return;
    const { store, vault, run } = this.#parts;
    this.#writing = this.#writing
      .then(async () => {
        const wanted = this.#wanted;
        const record = this.#record;
        if (this.#stored === wanted) return;
        this.#stored = undefined;
        const sealed = wanted === null ? null : vault.sealUnreachable(record, wanted);
        if ((await store.pollers.setUnreachable(record, sealed)) && record === this.#record) this.#stored = wanted;
      })
      .catch(run.fault);
  }
}

/**
 * Returns the reason if a poll failed because the platform, or the proxy before it, is out of reach or refuses every call;
 * else `null`. Messages about proxies name the host only. A refusal that came through a proxy may be the proxy's own text,
 * and may repeat the proxy's credentials, so it is not quoted.
 */
export function outageReason(error: unknown, hasProxy: boolean): string | null {
  if (!(error instanceof PosternError)) return null;
  if (error.code === 'platform_unavailable' || error.code === 'platform_timeout') return error.message;
  // Refused for another reason than the token, such as a locked account, which may be over soon.
  if (error.code !== 'forbidden' || error.reason === 'auth_token_rejected') return null;
  return hasProxy ? 'The platform, or the proxy in its name, refuses this account' : error.message;
}
