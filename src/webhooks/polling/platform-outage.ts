import { PosternError } from '../../shared/errors/postern-error.ts';
import type { Timer } from '../../shared/runtime/runtime.ts';
import type { PollerRecord } from '../../store/port.ts';
import type { PollerRun } from '../delivery/poller-run.ts';

/** An outage is reported in `last_error` after this many milliseconds (docs/webhooks.md, Stored credentials). */
const toleratedMs = 30_000;

/**
 * Updates `PollerRecord.unreachable` after polls. Sets it when the platform has been unreachable for 30 s, and clears it after the first
 * successful poll.
 */
export class PlatformOutage {
  readonly #run: PollerRun;
  #record: PollerRecord;
  /** The time of the first failure since the last success; `null` if the last request succeeded. */
  #since: number | null = null;
  #reason = '';
  #timer: Timer | undefined;
  /** The outage reason that should be stored. */
  #wanted: string | null = null;
  /** The stored reason; `undefined` if it is unknown. */
  #stored: string | null | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(run: PollerRun) {
    this.#run = run;
    this.#record = run.record;
    this.#stored = run.record.unreachable === null ? null : undefined;
  }

  /** Updates the poller's record after it was read again. If the credentials are new, earlier failures no longer count. */
  refresh(record: PollerRecord): void {
    // A write may have run while the record was read, so the stored reason is unknown.
    this.#stored = undefined;
    if (record.sealed !== this.#record.sealed) this.#reset();
    this.#record = record;
  }

  failed(reason: string): void {
    const { runtime } = this.#run;
    this.#since ??= runtime.now();
    this.#reason = reason;
    const leftMs = this.#since + toleratedMs - runtime.now();
    if (leftMs <= 0) this.#write(reason);
    // A timer reports the outage, because the next poll may be a minute away.
    else this.#timer ??= runtime.after(leftMs, () => this.#write(this.#reason));
  }

  succeeded(): void {
    this.#reset();
    this.#write(null);
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

  /** Stores the reason of the outage. If that fails, the next poll tries again. */
  #write(reason: string | null): void {
    this.#wanted = reason;
    if (this.#stored === this.#wanted) return;
    const { store, vault, failure } = this.#run;
    this.#writing = this.#writing
      .then(async () => {
        const wanted = this.#wanted;
        const record = this.#record;
        if (this.#stored === wanted) return;
        this.#stored = undefined;
        const sealed = wanted === null ? null : vault.sealUnreachable(record, wanted);
        if ((await store.pollers.setUnreachable(record, sealed)) && record === this.#record) this.#stored = wanted;
      })
      .catch(failure);
  }
}

/**
 * Returns the reason for a failed poll if the platform or its proxy is unreachable or refuses every call; otherwise `null`. Messages about
 * proxies contain only the host. A refusal that came through a proxy is not quoted, because the proxy may have written it and it may
 * contain the proxy's credentials.
 */
export function outageReason(error: unknown, hasProxy: boolean): string | null {
  if (!(error instanceof PosternError)) return null;
  if (error.code === 'platform_unavailable' || error.code === 'platform_timeout') return error.message;
  // A refusal for another reason than the token, such as a locked account, may be temporary.
  if (error.code !== 'forbidden' || error.reason === 'auth_token_rejected') return null;
  return hasProxy ? 'The platform, or the proxy in its name, refuses this account' : error.message;
}
