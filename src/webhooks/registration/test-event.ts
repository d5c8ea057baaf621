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
 * Sends one signed `webhook.test` event and returns its outcome. Returns `null` if the webhook is deleted or gets another URL in the
 * meantime.
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
  if ('reason' in answer) return { delivered: false, response_code: null, duration_ms, error: answer.reason };
  const { status: response_code } = answer;
  const delivered = response_code >= 200 && response_code < 300;
  return { delivered, response_code, duration_ms, error: delivered ? null : `status ${response_code}` };
}
