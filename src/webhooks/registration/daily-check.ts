import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Store, WebhookRecord } from '../../store/port.ts';
import type { CrcOutcome } from './crc.ts';
import type { Handshakes } from './handshakes.ts';

const dayMs = 24 * 3_600_000;
/** The pause before the check of a receiver is repeated after a fault. */
const againMs = 3_600_000;
/** A webhook becomes invalid if faults of the network last this long (docs/webhooks.md, The handshake). */
const toleratedMs = 28 * 3_600_000;

/** Returns a valid webhook as it is after a CRC that no caller requested. It stays valid during short faults of the network. */
export function afterCheck(webhook: WebhookRecord, crc: CrcOutcome, now: number): WebhookRecord {
  if (crc.result === 'passed') {
    return { ...webhook, valid: true, lastValidatedAt: now, failingSince: null, lastError: null };
  }
  const failingSince = webhook.failingSince ?? now;
  const valid = crc.result === 'unreachable' && now - failingSince < toleratedMs;
  return { ...webhook, valid, failingSince: valid ? failingSince : null, lastError: crc.reason };
}

export interface DailyCheckParts {
  store: Store;
  handshakes: Handshakes;
  runtime: Runtime;
}

/** Repeats the CRC once a day for each valid webhook. */
export class DailyCheck {
  readonly #parts: DailyCheckParts;
  readonly #askedAt = new Map<string, number>();

  constructor(parts: DailyCheckParts) {
    this.#parts = parts;
  }

  /** Checks the webhooks whose last CRC was a day ago. */
  async run(webhooks: readonly WebhookRecord[]): Promise<void> {
    const now = this.#parts.store.now();
    const due = webhooks.filter(
      ({ id, valid, lastValidatedAt }) =>
        valid && now - (lastValidatedAt ?? now) >= dayMs && now - (this.#askedAt.get(id) ?? 0) >= againMs,
    );
    await Promise.all(due.map((webhook) => this.#check(webhook, now)));
  }

  async #check(webhook: WebhookRecord, now: number): Promise<void> {
    const { store, handshakes } = this.#parts;
    this.#askedAt.set(webhook.id, now);
    const crc = await handshakes.run(handshakes.subject(webhook, null));
    if (crc.result === 'superseded') return;
    // If the owner has changed the webhook meanwhile, the change stays and the check runs again.
    if (!(await store.webhooks.update(afterCheck(webhook, crc, now)))) this.#askedAt.delete(webhook.id);
  }
}
