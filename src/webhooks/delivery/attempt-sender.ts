import type { WebhookRecord } from '../../store/port.ts';
import type { WebhookSecrets, WebhookVault } from '../shared/secrets.ts';
import { unpackEvent } from '../shared/stored-event.ts';
import type { QueuedDelivery } from './delivery-window.ts';
import type { ReceiverAnswer, ReceiverFault, Receivers } from './receiver.ts';
import type { SendGate, WebhookWatch } from './send-gate.ts';
import { signedHeaders } from './signed.ts';

/** The reason for which an attempt is aborted when its webhook is deleted or gets another URL. */
const retired = new Error('the webhook was deleted or changed');

export interface AttemptSenderParts {
  receivers: Receivers;
  vault: WebhookVault;
  gate: SendGate;
}

/** Signs and sends the attempts of one webhook. Aborts them when the webhook is deleted or gets another URL. */
export class AttemptSender {
  readonly #parts: AttemptSenderParts;
  #webhook: WebhookRecord;
  #opened: { secrets: WebhookSecrets; url: URL } | null = null;
  /** The attempts that are running, each with the watch that aborts it. */
  readonly #running = new Map<AbortController, WebhookWatch>();
  /** Follows the webhook while attempts are running. */
  #watch: WebhookWatch | null = null;

  constructor(webhook: WebhookRecord, parts: AttemptSenderParts) {
    this.#webhook = webhook;
    this.#parts = parts;
  }

  /** The webhook was read again. */
  saw(webhook: WebhookRecord): void {
    if (webhook.revision !== this.#webhook.revision) this.#opened = null;
    this.#webhook = webhook;
    this.#watch?.saw(webhook);
  }

  /** Aborts the attempts that are running. */
  abort(): void {
    this.#watch?.abort();
  }

  /** Makes one attempt. Returns `null` if it was aborted because the webhook was deleted or got another URL. */
  async send(delivery: QueuedDelivery, attempt: number, now: number): Promise<ReceiverAnswer | ReceiverFault | null> {
    const controller = new AbortController();
    this.#running.set(controller, this.#follow());
    const answer = await this.#post(delivery, attempt, now, controller);
    this.#running.delete(controller);
    if (this.#running.size === 0) {
      this.#watch?.end();
      this.#watch = null;
    }
    return 'fault' in answer && controller.signal.reason === retired ? null : answer;
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

  async #post(
    delivery: QueuedDelivery,
    attempt: number,
    now: number,
    ending: AbortController,
  ): Promise<ReceiverAnswer | ReceiverFault> {
    const { receivers, vault } = this.#parts;
    const { event, body: stored } = delivery;
    const { account } = this.#webhook;
    let url: URL;
    let body: string;
    let headers: Record<string, string>;
    try {
      this.#opened ??= { secrets: vault.open(this.#webhook), url: new URL(vault.openUrl(this.#webhook)) };
      url = this.#opened.url;
      body = typeof stored === 'string' ? stored : bodyOf(vault.openBody(account, event, stored.sealed));
      headers = signedHeaders({ eventId: event, attempt, body, now }, this.#opened.secrets);
    } catch {
      return { fault: 'not sent: what the service keeps of it does not open', durationMs: 0 };
    }
    return receivers.deliver(account, url, headers, body, ending);
  }
}

/** Throws if the code of no webhook has opened the message. Such a message has no deliveries. */
function bodyOf(kept: string): string {
  const { body } = unpackEvent(kept);
  if (body === null) throw new Error('a message that no webhook can open');
  return body;
}
