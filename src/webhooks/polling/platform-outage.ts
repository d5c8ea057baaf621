import { PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime, Timer } from '../../shared/runtime/runtime.ts';
import type { PollerRecord, Store } from '../../store/port.ts';
import type { PollerRun } from '../shared/poller-run.ts';
import type { WebhookVault } from '../shared/secrets.ts';

/** An outage is reported in `last_error` after this time (docs/webhooks.md, Stored credentials). */
const toleratedMs = 30_000;

export interface PlatformOutageParts {
  store: Store;
  vault: WebhookVault;
  runtime: Runtime;
  run: PollerRun;
}

/**
 * Maintains `PollerRecord.unreachable` from the results of polls. Sets it when the platform has been unreachable for 30 s, and
 * clears it after the first poll that works.
 */
export class PlatformOutage {
  readonly #parts: PlatformOutageParts;
  #record: PollerRecord;
  /** When the first of the failures in a row happened. */
  #since: number | null = null;
  #reason = '';
  #timer: Timer | undefined;
  /** The reason that should be stored. */
  #wanted: string | null = null;
  /** The stored reason; `undefined` if it is not known. */
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
    // A write may have run while the record was read.
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

  /** Resolves when the running write has ended. */
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

  /** Stores `#wanted`. If that fails, the next poll tries again. */
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
  // Other refusals than of the token, such as of a locked account, may end soon.
  if (error.code !== 'forbidden' || error.reason === 'auth_token_rejected') return null;
  return hasProxy ? 'The platform, or the proxy in its name, refuses this account' : error.message;
}
