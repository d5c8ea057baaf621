import type { WebhookRecord } from '../../store/port.ts';
import type { DeliverySignatures, WebhookSecrets, WebhookVault } from '../shared/secrets.ts';
import type { ReceiverFailure, ReceiverResponse, Receivers } from './receiver.ts';
import type { SendGate, WebhookWatch } from './send-gate.ts';
import { deliveryHeaders, signaturesOf } from './signed.ts';

/** The abort reason of an attempt whose webhook was deleted, was paused or got another URL. */
const retired = new Error('the webhook was deleted or changed');

export interface SentAttempt {
  answer: ReceiverResponse | ReceiverFailure;
  /** `null` if the stored data cannot be decrypted, so that there was no request. */
  signatures: DeliverySignatures | null;
}

export interface AttemptSenderParts {
  receivers: Receivers;
  vault: WebhookVault;
  gate: SendGate;
}

/**
 * Signs and sends the delivery attempts of one webhook. Aborts running attempts when the webhook is deleted, is paused or gets another URL.
 */
export class AttemptSender {
  readonly #parts: AttemptSenderParts;
  #webhook: WebhookRecord;
  #opened: { secrets: WebhookSecrets; url: URL } | null = null;
  /** The running attempts, each with the watch that aborts it. */
  readonly #running = new Map<AbortController, WebhookWatch>();
  /** Watches the webhook for changes while attempts are running. */
  #watch: WebhookWatch | null = null;

  constructor(webhook: WebhookRecord, parts: AttemptSenderParts) {
    this.#webhook = webhook;
    this.#parts = parts;
  }

  /** Updates the webhook record after it was read again. */
  saw(webhook: WebhookRecord): void {
    if (webhook.revision !== this.#webhook.revision) this.#opened = null;
    this.#webhook = webhook;
    this.#watch?.saw(webhook);
  }

  /** Aborts all running attempts. */
  abort(): void {
    this.#watch?.abort();
  }

  /**
   * Makes one delivery attempt. `body` is `null` if it cannot be decrypted. Returns `null` if the attempt was aborted,
   * because the webhook was deleted or paused or got another URL.
   */
  async send(event: string, body: string | null, attempt: number, now: number): Promise<SentAttempt | null> {
    const request = body === null ? null : this.#sign(event, body, attempt, now);
    if (request === null) {
      const reason = 'not sent: the connection was deleted, or the stored event or webhook cannot be decrypted';
      return { answer: { reason, durationMs: 0 }, signatures: null };
    }
    const controller = new AbortController();
    this.#running.set(controller, this.#follow());
    const { account } = this.#webhook;
    const answer = await this.#parts.receivers.deliver(account, request.url, request.headers, request.body, controller);
    this.#running.delete(controller);
    if (this.#running.size === 0) {
      this.#watch?.end();
      this.#watch = null;
    }
    if ('reason' in answer && controller.signal.reason === retired) return null;
    return { answer, signatures: request.signatures };
  }

  #follow(): WebhookWatch {
    if (this.#watch && !this.#watch.signal.aborted) return this.#watch;
    const watch = this.#parts.gate.watch(this.#webhook);
    watch.signal.addEventListener('abort', () => {
      for (const [controller, by] of this.#running) if (by === watch) controller.abort(retired);
    });
    this.#watch = watch;
    return watch;
  }

  /** Returns `null` if the stored data cannot be decrypted. */
  #sign(eventId: string, body: string, attempt: number, now: number) {
    const { vault } = this.#parts;
    try {
      this.#opened ??= { secrets: vault.open(this.#webhook), url: new URL(vault.openUrl(this.#webhook)) };
      const { secrets, url } = this.#opened;
      const payload = { eventId, attempt, body, now };
      const signatures = signaturesOf(payload, secrets);
      return { url, body, signatures, headers: deliveryHeaders(payload, signatures) };
    } catch {
      return null;
    }
  }
}
