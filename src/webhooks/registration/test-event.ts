import { PosternError } from '../../shared/errors/postern-error.ts';
import type { EventBody } from '../../shared/model/event-bodies.ts';
import { formatIsoTime } from '../../shared/model/time.ts';
import type { WebhookTest } from '../../shared/model/webhook.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { WebhookRecord } from '../../store/port.ts';
import type { Receivers } from '../delivery/receiver.ts';
import type { SendGate } from '../delivery/send-gate.ts';
import { signedHeaders } from '../delivery/signed.ts';
import type { WebhookVault } from '../shared/secrets.ts';

interface TestParts {
  vault: WebhookVault;
  receivers: Receivers;
  runtime: Runtime;
  gate: SendGate;
}

/**
 * Sends one signed `webhook.test` event and returns the outcome; `null` if the webhook is deleted or gets another URL
 * meanwhile.
 */
export async function sendTestEvent(
  record: WebhookRecord,
  { vault, receivers, runtime, gate }: TestParts,
): Promise<WebhookTest | null> {
  const now = runtime.now();
  const eventId = `evt_test_${runtime.randomBytes(9).toString('base64url')}`;
  const created_at = formatIsoTime(now);
  const event: EventBody<'webhook.test'> = { id: eventId, type: 'webhook.test', created_at, webhook_id: record.id };
  const body = JSON.stringify(event);
  const headers = signedHeaders({ eventId, attempt: 1, body, now }, vault.open(record));
  const url = new URL(vault.openUrl(record));
  const answer = await gate.during(record, (signal) => receivers.post(record.account, url, headers, body, signal));
  if (!answer) return null;
  const duration_ms = answer.durationMs;
  if ('fault' in answer) return { delivered: false, response_code: null, duration_ms, error: answer.fault };
  const { status: response_code } = answer;
  const delivered = response_code >= 200 && response_code < 300;
  return { delivered, response_code, duration_ms, error: delivered ? null : `status ${response_code}` };
}

const perMinute = 10;
const windowMs = 60_000;

/** Limits the test events of each account to ten a minute in each process. */
export class TestBudget {
  readonly #runtime: Runtime;
  readonly #sent = new Map<string, number[]>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Counts one test event. Throws `rate_limited` beyond the limit. */
  take(account: string): void {
    const now = this.#runtime.now();
    for (const [each, times] of this.#sent) if ((times.at(-1) ?? 0) <= now - windowMs) this.#sent.delete(each);
    const recent = (this.#sent.get(account) ?? []).filter((at) => at > now - windowMs);
    if (recent.length >= perMinute) {
      const retryAfterSeconds = Math.ceil(((recent[0] ?? now) + windowMs - now) / 1_000);
      throw new PosternError('webhook_test_limit', `Only ${perMinute} test events a minute: wait`, {
        retryAfterSeconds,
      });
    }
    this.#sent.set(account, [...recent, now]);
  }
}
