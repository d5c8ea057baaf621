import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Store, WebhookRecord } from '../../store/port.ts';
import type { CrcOutcome } from './crc.ts';
import type { Handshakes } from './handshakes.ts';

const dayMs = 24 * 3_600_000;
/** The pause in milliseconds before a check that failed is repeated. */
const againMs = 3_600_000;
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
}

/** Repeats the CRC once a day for each valid webhook that is not paused. */
export class DailyCheck {
  readonly #parts: DailyCheckParts;
  readonly #askedAt = new Map<string, number>();

  constructor(parts: DailyCheckParts) {
    this.#parts = parts;
  }

  /** Checks the webhooks whose last CRC was at least a day ago. */
  async run(webhooks: readonly WebhookRecord[]): Promise<void> {
    const now = this.#parts.store.now();
    const due = webhooks.filter(
      ({ id, valid, pausedAt, lastValidatedAt }) =>
        valid &&
        pausedAt === null &&
        now - (lastValidatedAt ?? now) >= dayMs &&
        now - (this.#askedAt.get(id) ?? 0) >= againMs,
    );
    await Promise.all(due.map((webhook) => this.#check(webhook, now)));
  }

  async #check(webhook: WebhookRecord, now: number): Promise<void> {
    const { store, handshakes } = this.#parts;
    this.#askedAt.set(webhook.id, now);
    const crc = await handshakes.run(handshakes.subject(webhook, null));
    if (crc.result === 'superseded') return;
    // If the owner has changed the webhook in the meantime, the change is kept and the check runs again.
    if (!(await store.webhooks.update(afterCheck(webhook, crc, now)))) this.#askedAt.delete(webhook.id);
  }
}
