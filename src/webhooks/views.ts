import type { EventType } from '../model/event.ts';
import type { Page } from '../model/page.ts';
import { formatIsoTime } from '../model/time.ts';
import type { DeliveryView, WebhookView } from '../model/webhook.ts';
import type { DeliveryRecord, WebhookRecord } from '../store/port.ts';

/** A webhook as its owner sees it, with its URL opened. */
export function view(record: WebhookRecord, url: string): WebhookView {
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
    last_error: record.lastError,
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
