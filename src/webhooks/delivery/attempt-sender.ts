import { chance } from '../../shared/runtime/runtime.ts';
import type { DeliveryResult, WebhookRecord } from '../../store/port.ts';
import type { DeliverySignatures, WebhookSecrets } from '../shared/secrets.ts';
import type { QueuedDelivery } from './delivery-window.ts';
import type { PollerRun } from './poller-run.ts';
import { excerptOf, failureOf, type ReceiverAnswer, type Receivers } from './receiver.ts';
import type { SendGate, WebhookWatch } from './send-gate.ts';
import { deliveryHeaders, signaturesOf } from './signatures.ts';

export interface AttemptSenderParts {
  run: PollerRun;
  receivers: Receivers;
  gate: SendGate;
}

const notSent: ReceiverAnswer = {
  reason: 'not sent: the connection was deleted, or the stored event or webhook cannot be decrypted',
  durationMs: 0,
};

/**
 * Makes the delivery attempts of one webhook: signs the body, sends it, and decides when to retry. Aborts running attempts when the webhook
 * is deleted, is paused or gets another URL.
 */
export class AttemptSender {
  readonly #parts: AttemptSenderParts;
  #webhook: WebhookRecord;
  #opened: { secrets: WebhookSecrets; url: URL } | null = null;
  #running = 0;
  /** Watches the webhook for changes while attempts are running. */
  #watch: WebhookWatch | null = null;

  constructor(webhook: WebhookRecord, parts: AttemptSenderParts) {
    this.#webhook = webhook;
    this.#parts = parts;
  }

  /** Updates the webhook record after it was read again. */
  update(webhook: WebhookRecord): void {
    if (webhook.revision !== this.#webhook.revision) this.#opened = null;
    this.#webhook = webhook;
    this.#watch?.update(webhook);
  }

  abort(): void {
    this.#watch?.abort();
  }

  /**
   * Makes one delivery attempt and returns its result. `body` is `null` if it cannot be decrypted. Returns `null` if the attempt was
   * aborted, because the webhook was deleted or paused or got another URL.
   */
  async send(delivery: QueuedDelivery, body: string | null): Promise<DeliveryResult | null> {
    const startedAt = this.#parts.run.store.now();
    const request = body === null ? null : this.#sign(delivery, body, startedAt);
    if (!request) return this.#resultOf(delivery, startedAt, notSent, null);
    if (this.#watch === null || this.#watch.signal.aborted) this.#watch = this.#parts.gate.watch(this.#webhook);
    const { signal } = this.#watch;
    this.#running += 1;
    const { url, headers, signatures } = request;
    const answer = await this.#parts.receivers.post(this.#webhook.account, url, headers, request.body, signal);
    this.#running -= 1;
    if (this.#running === 0) {
      this.#watch.end();
      this.#watch = null;
    }
    if ('reason' in answer && signal.aborted) return null;
    return this.#resultOf(delivery, startedAt, answer, signatures);
  }

  /** Returns `null` if the stored data cannot be decrypted. */
  #sign({ event: eventId, attempts }: QueuedDelivery, body: string, now: number) {
    const { vault } = this.#parts.run;
    try {
      this.#opened ??= { secrets: vault.open(this.#webhook), url: new URL(vault.openUrl(this.#webhook)) };
      const { secrets, url } = this.#opened;
      const payload = { eventId, attempt: attempts + 1, body, now };
      const signatures = signaturesOf(payload, secrets);
      return { url, body, signatures, headers: deliveryHeaders(payload, signatures) };
    } catch {
      return null;
    }
  }

  /** Returns the result of an attempt, and reports it. `signatures` is `null` if there was no request. */
  #resultOf(
    { event, attempts, replayed, eventAt }: QueuedDelivery,
    startedAt: number,
    answer: ReceiverAnswer,
    signatures: DeliverySignatures | null,
  ): DeliveryResult {
    const { store, vault, runtime, monitor } = this.#parts.run;
    const { account, id: webhook } = this.#webhook;
    const { durationMs } = answer;
    const attempt = attempts + 1;
    const response = 'status' in answer ? answer : null;
    const status = response?.status ?? null;
    const error = failureOf(answer);
    const retryAfter = status === 429 || status === 503 ? (response?.retryAfter ?? null) : null;
    const delayMs =
      error === null ? null : retryDelayMs(attempt, chance(runtime), readRetryAfter(retryAfter, store.now()));
    const nextAt = delayMs === null ? null : store.now() + delayMs;
    const state = error === null ? 'delivered' : nextAt === null ? 'given_up' : 'waiting';
    monitor.attempted({
      webhook,
      event,
      attempt,
      status,
      startedAt,
      durationMs,
      outcome: state === 'waiting' ? 'retrying' : state,
      firstAfterMs: attempt === 1 && !replayed ? startedAt - eventAt : null,
      deliveredAfterMs: state === 'delivered' && !replayed ? store.now() - eventAt : null,
    });
    const exchange =
      signatures &&
      vault.sealExchange(account, event, webhook, { signatures, response: response && excerptOf(response) });
    const last = { at: startedAt, durationMs, responseCode: status, error };
    return { event, webhook, state, attempts: attempt, nextAt, last, exchange };
  }
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delay before each retry, in order (docs/webhooks.md, Deliveries). A delivery that fails after the last delay is not retried. */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  8 * hour,
];

const jitter = 0.2;
const maxRetryAfterMs = hour;

/**
 * Returns the delay in milliseconds between a failed attempt and the next one. Returns `null` if there are no more attempts. `attempts`
 * includes the failed attempt; `chance` is in [0, 1). `retryAfterMs` can extend the delay to at most an hour. It never shortens the delay,
 * because it is the minimum that the receiver asks for (RFC 9110 section 10.2.3), and short delays would use up all attempts within
 * seconds.
 */
export function retryDelayMs(attempts: number, chance: number, retryAfterMs: number | null): number | null {
  const delay = retryDelaysMs[attempts - 1];
  if (delay === undefined) return null;
  const step = Math.round(delay * (1 - jitter + 2 * jitter * chance));
  return Math.max(step, Math.min(retryAfterMs ?? 0, maxRetryAfterMs));
}

/** Parses `Retry-After` (RFC 9110 section 10.2.3), either seconds or a date. Returns milliseconds, or `null` for any other value. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * second;
  const date = /^[A-Z][a-z]{2}, \d{2} /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
