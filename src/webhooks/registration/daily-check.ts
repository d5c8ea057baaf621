import { type Runtime, repeat, type Timer } from '../../shared/runtime/runtime.ts';
import type { Store, WebhookRecord } from '../../store/port.ts';
import type { CrcOutcome, Handshakes } from './handshakes.ts';

const dayMs = 24 * 3_600_000;
/** The interval in milliseconds at which the webhooks that are due are looked up. */
const intervalMs = 60_000;
/** The pause in milliseconds before a check that failed is repeated. */
const retryMs = 3_600_000;
/** A webhook becomes invalid if network errors last this many milliseconds (docs/webhooks.md, The handshake). */
export const toleratedMs = 28 * 3_600_000;

/** Returns a valid webhook with the result of a CRC that no caller requested. The webhook stays valid during short network errors. */
export function afterCheck(webhook: WebhookRecord, crc: CrcOutcome, now: number): WebhookRecord {
  if (crc.result === 'passed') {
    return { ...webhook, valid: true, lastValidatedAt: now, failingSince: null, lastError: null };
  }
  const failingSince = webhook.failingSince ?? now;
  const valid = crc.result === 'unreachable' && now - failingSince < toleratedMs;
  return { ...webhook, valid, failingSince: valid ? failingSince : null, lastError: crc.reason };
}

/** Returns a webhook after it was paused or resumed. A pause has no handshakes, so failures before it no longer count. */
export function afterPause(webhook: WebhookRecord, paused: boolean, now: number): WebhookRecord {
  if (paused === (webhook.pausedAt !== null)) return webhook;
  return { ...webhook, pausedAt: paused ? now : null, failingSince: null };
}

export interface DailyCheckParts {
  store: Store;
  handshakes: Handshakes;
  runtime: Runtime;
  /** Returns the webhooks to check. */
  webhooks: () => readonly WebhookRecord[];
  /** Called after a failure. The check is repeated after an hour. */
  onError: (error: unknown) => void;
}

/** Repeats the CRC once a day for each valid webhook that is not paused, whether or not its poller reads events. */
export class DailyCheck {
  readonly #parts: DailyCheckParts;
  readonly #timer: Timer;
  /** The time of the last check of each webhook in this process. */
  readonly #checkedAt = new Map<string, number>();

  constructor(parts: DailyCheckParts) {
    this.#parts = parts;
    this.#timer = repeat(parts.runtime, intervalMs, () => this.#checkDue());
  }

  /** Starts no more checks. */
  close(): void {
    this.#timer.cancel();
  }

  /** Checks the webhooks whose last CRC was at least a day ago. */
  async #checkDue(): Promise<void> {
    const { store, webhooks } = this.#parts;
    const now = store.now();
    for (const [id, at] of this.#checkedAt) if (now - at >= retryMs) this.#checkedAt.delete(id);
    const due = webhooks().filter(
      ({ id, valid, pausedAt, lastValidatedAt }) =>
        valid && pausedAt === null && now - (lastValidatedAt ?? now) >= dayMs && !this.#checkedAt.has(id),
    );
    await Promise.all(due.map((webhook) => this.#check(webhook, now)));
  }

  async #check(webhook: WebhookRecord, now: number): Promise<void> {
    const { store, handshakes, onError } = this.#parts;
    this.#checkedAt.set(webhook.id, now);
    try {
      const crc = await handshakes.run(handshakes.subject(webhook, null));
      if (crc.result === 'superseded') return;
      // If the owner has changed the webhook in the meantime, the change is kept and the check runs again.
      if (!(await store.webhooks.update(afterCheck(webhook, crc, now)))) this.#checkedAt.delete(webhook.id);
    } catch (error) {
      onError(error);
    }
  }
}
