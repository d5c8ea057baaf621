import { type EventType, isMessageType } from '../../shared/model/event.ts';
import type { Page } from '../../shared/model/page.ts';
import { formatIsoTime } from '../../shared/model/time.ts';
import type { DeliveryView, WebhookView } from '../../shared/model/webhook.ts';
import type { DeliveryRecord, WebhookRecord } from '../../store/port.ts';

const noCode =
  'Nothing can be delivered: all of its events are message events, and it has no encryption_code. ' +
  'PUT /webhooks/{id} with one';

/**
 * What a webhook answers as `last_error`. An error that is stored with the webhook comes first: a failed CRC, 410, refused
 * credentials or a refused code. `unreachable`: why its poller cannot reach the platform.
 */
export function lastErrorOf(
  { lastError, events, hasEncryptionCode }: Pick<WebhookRecord, 'lastError' | 'events' | 'hasEncryptionCode'>,
  unreachable: string | null,
): string | null {
  if (lastError !== null) return lastError;
  if (!hasEncryptionCode && events !== null && events.every(isMessageType)) return noCode;
  return unreachable && `Nothing new is read from the platform: ${unreachable}. It is tried again until it works`;
}

/** A webhook as its owner sees it, with its URL opened. */
export function view(record: WebhookRecord, url: string, unreachable: string | null): WebhookView {
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
    last_error: lastErrorOf(record, unreachable),
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

/** The store's place behind the page that a cursor belongs to. */
export function readPosition<Position>(cursor: string | null): Position | undefined {
  return cursor === null ? undefined : (JSON.parse(cursor) as Position);
}

/** The first `count` of what was found, which is one more where there is a next page. */
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
