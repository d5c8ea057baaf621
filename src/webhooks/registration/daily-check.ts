import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Store, WebhookRecord } from '../../store/port.ts';
import type { CrcOutcome } from './crc.ts';
import type { Handshakes } from './handshakes.ts';

const dayMs = 24 * 3_600_000;
/** Until a receiver that did not answer is asked again. */
const againMs = 3_600_000;
/** How long faults of the network may go on before a webhook becomes invalid (docs/webhooks.md, The handshake). */
const toleratedMs = 28 * 3_600_000;

/** What a valid webhook is after a CRC that nobody asked for: a fault of the network alone is forgiven for a while. */
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

/** The CRC again, once a day for each webhook that is valid. Nothing waits for it. */
export class DailyCheck {
  readonly #parts: DailyCheckParts;
  readonly #askedAt = new Map<string, number>();

  constructor(parts: DailyCheckParts) {
    this.#parts = parts;
  }

  /** Asks those whose day has come. */
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
    // Where its owner changed it meanwhile, that stands, and the check comes again.
    if (!(await store.webhooks.update(afterCheck(webhook, crc, now)))) this.#askedAt.delete(webhook.id);
  }
}
