import { type EventType, isMessageType } from '../../shared/model/event.ts';
import type { Page } from '../../shared/model/page.ts';
import { formatIsoTime } from '../../shared/model/time.ts';
import type { DeliveryView, WebhookView } from '../../shared/model/webhook.ts';
import type { DeliveryRecord, WebhookRecord } from '../../store/port.ts';

const noCode =
  'Nothing can be delivered: all of its events are message events, and it has no encryption_code. ' +
  'PUT /webhooks/{id} with one';

/** Faults in the records of a webhook and its poller, opened. */
export interface WebhookFaults {
  /** Why the platform refused the credentials, so that nothing is polled. */
  stopped: string | null;
  /** Why the platform cannot be reached now. */
  unreachable: string | null;
  /** Why the encryption code was refused. */
  codeRefused: string | undefined;
}

/** Returns `last_error`. It can name several faults: a failed CRC or 410, then refused credentials, then a refused code. */
export function lastErrorOf(
  { lastError, events, hasEncryptionCode }: Pick<WebhookRecord, 'lastError' | 'events' | 'hasEncryptionCode'>,
  { stopped, unreachable, codeRefused }: WebhookFaults,
): string | null {
  const faults = [
    ...(lastError === null ? [] : [lastError]),
    ...(stopped === null ? [] : [`Not polled any more: ${stopped}. PUT /webhooks/{id} with new credentials goes on`]),
    ...(codeRefused === undefined ? [] : [refusedCode(codeRefused)]),
  ];
  if (faults.length > 0) return faults.join('. ');
  if (!hasEncryptionCode && events !== null && events.every(isMessageType)) return noCode;
  return unreachable && `Nothing new is read from the platform: ${unreachable}. It is tried again until it works`;
}

function refusedCode(reason: string): string {
  const remedy = 'PUT /webhooks/{id} with a new encryption_code goes on, with what came meanwhile';
  return `Messages are not opened any more: ${reason}. ${remedy}`;
}

/** Returns the webhook as its owner sees it. `url` is the opened URL. */
export function view(record: WebhookRecord, url: string, faults: WebhookFaults): WebhookView {
  const time = (at: number | null) => (at === null ? null : formatIsoTime(at));
  return {
    id: record.id,
    url,
    valid: record.valid,
    created_at: formatIsoTime(record.createdAt),
    events: record.events as EventType[] | null,
    has_encryption_code: record.hasEncryptionCode,
    last_validated_at: time(record.lastValidatedAt),
    last_delivery_at: time(record.lastDeliveryAt),
    last_error: lastErrorOf(record, faults),
  };
}

export function deliveryView({ event, type, state, attempts, nextAt, last }: DeliveryRecord): DeliveryView {
  const outcome = state === 'waiting' && attempts > 0 ? 'retrying' : state;
  return {
    event_id: event,
    type,
    attempt: attempts,
    at: last && formatIsoTime(last.at),
    outcome,
    response_code: last?.responseCode ?? null,
    duration_ms: last?.durationMs ?? null,
    error: last?.error ?? null,
    next_attempt_at: nextAt === null ? null : formatIsoTime(nextAt),
  };
}

/** Returns the store's position for a cursor. */
export function readPosition<Position>(cursor: string | null): Position | undefined {
  return cursor === null ? undefined : (JSON.parse(cursor) as Position);
}

/** Returns a page of the first `count` records. The caller reads one more record, which shows that there is a next page. */
export function pageOf<Found, Item>(
  found: readonly Found[],
  count: number,
  read: (one: Found) => Item,
  position: (last: Found) => object,
): Page<Item> {
  const last = found[count - 1];
  const cursor = found.length > count && last !== undefined ? JSON.stringify(position(last)) : null;
  return { items: found.slice(0, count).map(read), cursor };
}
