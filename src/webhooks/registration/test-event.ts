import type { EventBody } from '../../shared/model/event-bodies.ts';
import { formatIsoTime } from '../../shared/model/time.ts';
import type { WebhookTest } from '../../shared/model/webhook.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { WebhookRecord } from '../../store/port.ts';
import { failureOf, type Receivers } from '../delivery/receiver.ts';
import type { SendGate } from '../delivery/send-gate.ts';
import { signedHeaders } from '../delivery/signatures.ts';
import type { WebhookContext } from '../shared/secrets.ts';

/**
 * Sends one signed `webhook.test` event and returns its outcome. Returns `null` if the webhook is deleted or gets another URL in the
 * meantime.
 */
export async function sendTestEvent(
  record: WebhookRecord,
  { vault, receivers, runtime, gate }: Omit<WebhookContext, 'store'> & { receivers: Receivers; gate: SendGate },
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
  const error = failureOf(answer);
  const response_code = 'status' in answer ? answer.status : null;
  return { delivered: error === null, response_code, duration_ms: answer.durationMs, error };
}

export const testEventsPerMinute = 10;
const windowMs = 60_000;

/** Limits the test events of each account in this process. */
export class TestEventLimit {
  readonly #runtime: Pick<Runtime, 'now'>;
  readonly #sent = new Map<string, number[]>();

  constructor(runtime: Pick<Runtime, 'now'>) {
    this.#runtime = runtime;
  }

  /** Counts a test event and returns 0. Beyond the limit, returns the number of seconds until the next test event is allowed. */
  take(account: string): number {
    const now = this.#runtime.now();
    for (const [each, times] of this.#sent) if ((times.at(-1) ?? 0) <= now - windowMs) this.#sent.delete(each);
    const recent = (this.#sent.get(account) ?? []).filter((at) => at > now - windowMs);
    if (recent.length >= testEventsPerMinute) return Math.ceil(((recent[0] ?? now) + windowMs - now) / 1_000);
    this.#sent.set(account, [...recent, now]);
    return 0;
  }
}
