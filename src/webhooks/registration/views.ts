import { isMessageType, type WebhookEventType } from '../../shared/model/event.ts';
import type { Page } from '../../shared/model/page.ts';
import { formatIsoTime } from '../../shared/model/time.ts';
import type { AttemptView, DeliveryView, WebhookView } from '../../shared/model/webhook.ts';
import { type DeliveryRecord, eventTtlMs, type LoggedAttempt, type WebhookRecord } from '../../store/port.ts';
import { commonHeaders } from '../delivery/receiver.ts';
import { deliveryHeaders } from '../delivery/signatures.ts';
import type { AttemptExchange } from '../shared/secrets.ts';
import { toleratedMs } from './daily-check.ts';

const noCode =
  'Nothing can be delivered: all of its events are message events, and it has no encryption_code. ' +
  'Set one with PUT /webhooks/{id}';

/** The decrypted errors of a webhook and its poller. */
export interface WebhookErrors {
  /** The reason why the platform refused the credentials. Polling is stopped. */
  stopped: string | null;
  /** The reason why the platform is currently unreachable. */
  unreachable: string | null;
  /** The reason why the encryption code was refused. */
  codeRefused: string | undefined;
}

/**
 * Returns the field `last_error`. It can contain several errors in this order: a failed CRC or a 410, refused credentials, a refused code.
 */
export function lastErrorOf(
  { lastError, events, hasEncryptionCode }: Pick<WebhookRecord, 'lastError' | 'events' | 'hasEncryptionCode'>,
  { stopped, unreachable, codeRefused }: WebhookErrors,
): string | null {
  const failures = [
    ...(lastError === null ? [] : [lastError]),
    ...(stopped === null
      ? []
      : [`Not polled any more: ${stopped}. Send new credentials with PUT /webhooks/{id} to continue`]),
    ...(codeRefused === undefined ? [] : [refusedCode(codeRefused)]),
  ];
  if (failures.length > 0) return failures.join('. ');
  if (!hasEncryptionCode && events !== null && events.every(isMessageType)) return noCode;
  return unreachable && `Nothing new is read from the platform: ${unreachable}. Postern retries until it succeeds`;
}

/** Returns the field `last_error` of a webhook without another error, if events of its poller were lost in the last 24 hours. */
export function gapError(gapAt: number | null, now: number): string | null {
  if (gapAt === null || now - gapAt >= eventTtlMs) return null;
  return `Events before ${formatIsoTime(gapAt)} are missing, because the platform did not keep all of them`;
}

function refusedCode(reason: string): string {
  const remedy = 'PUT /webhooks/{id} with a new encryption_code goes on, with what came meanwhile';
  return `Messages are not opened any more: ${reason}. ${remedy}`;
}

/** The deliveries of a webhook that wait: how many, at most one more than `mostCounted`, and when the first is due. */
export interface WaitingDeliveries {
  count: number;
  nextAt: number | null;
}

export const mostCounted = 1_000;

/** Returns the state of a webhook. `lastError` is the field of its view. */
export function stateOf(
  { valid, pausedAt, lastValidatedAt, undeliveredSince }: WebhookRecord,
  lastError: string | null,
): WebhookView['state'] {
  if (pausedAt !== null) return 'paused';
  if (!valid) return lastValidatedAt === null && lastError === null ? 'pending' : 'invalid';
  return lastError === null && undeliveredSince === null ? 'active' : 'stalled';
}

/** Explains in sentences why a webhook is not active, and how many events wait for it. */
export function reasonOf(
  record: WebhookRecord,
  state: Exclude<WebhookView['state'], 'active'>,
  lastError: string | null,
  waiting: WaitingDeliveries,
  now: number,
): string {
  const { pausedAt, failingSince, undeliveredSince, undeliveredError } = record;
  const sentences: string[] = [];
  if (state === 'pending') sentences.push('The first handshake with the receiver has not ended');
  if (pausedAt !== null) sentences.push(`Paused since ${formatIsoTime(pausedAt)}`);
  if (lastError !== null) sentences.push(lastError);
  if (failingSince !== null && state !== 'paused') {
    const endsAt = formatIsoTime(failingSince + toleratedMs);
    sentences.push(
      `The handshake is repeated every hour, and the webhook becomes invalid if none passes before ${endsAt}`,
    );
  }
  if (undeliveredSince !== null) {
    sentences.push(`The receiver has accepted no event since ${formatIsoTime(undeliveredSince)}: ${undeliveredError}`);
  }
  sentences.push(...next(record, state, waiting, now));
  return sentences.join('. ');
}

function next(
  { keptSince }: WebhookRecord,
  state: WebhookView['state'],
  { count, nextAt }: WaitingDeliveries,
  now: number,
): string[] {
  const isOne = count === 1;
  const events =
    count > mostCounted ? `More than ${mostCounted} events wait` : `${count} ${isOne ? 'event waits' : 'events wait'}`;
  if (state === 'paused')
    return [`${events}. PATCH /webhooks/{id} with paused: false delivers the events of the last 24 hours`];
  if (state === 'invalid') {
    const repair = 'PUT /webhooks/{id} runs the handshake again';
    return keptSince === null
      ? [`${repair}. No events are kept before the first handshake has passed`]
      : [`${events}. ${repair}`];
  }
  if (count === 0 || nextAt === null) return [];
  return [`${events}; the next attempt is ${nextAt > now ? `at ${formatIsoTime(nextAt)}` : 'due'}`];
}

/** Returns the webhook in the form that its owner sees. `url` is the decrypted URL. */
export function view(
  record: WebhookRecord,
  url: string,
  lastError: string | null,
  condition: Pick<WebhookView, 'state' | 'state_reason'>,
): WebhookView {
  const time = (at: number | null) => (at === null ? null : formatIsoTime(at));
  return {
    id: record.id,
    url,
    valid: record.valid,
    created_at: formatIsoTime(record.createdAt),
    events: record.events as WebhookEventType[] | null,
    has_encryption_code: record.hasEncryptionCode,
    last_validated_at: time(record.lastValidatedAt),
    last_delivery_at: time(record.lastDeliveryAt),
    last_error: lastError,
    paused: record.pausedAt !== null,
    ...condition,
  };
}

export function deliveryView({ webhook, event, type, state, attempts, nextAt, last }: DeliveryRecord): DeliveryView {
  const outcome = state === 'waiting' && attempts > 0 ? 'retrying' : state;
  return {
    webhook_id: webhook,
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

/** `exchange` is the decrypted exchange, or `null` if there is none or it cannot be decrypted. */
export function attemptView(
  eventId: string,
  { attempt, at, ...result }: LoggedAttempt,
  exchange: AttemptExchange | null,
): AttemptView {
  const headers = exchange && deliveryHeaders({ eventId, attempt, now: at }, exchange.signatures);
  return {
    attempt,
    at: formatIsoTime(at),
    outcome: result.error === null ? 'delivered' : 'failed',
    response_code: result.responseCode,
    duration_ms: result.durationMs,
    error: result.error,
    request_headers: headers === null ? {} : { ...commonHeaders, ...headers },
    response_excerpt: exchange?.response ?? null,
  };
}

/** Parses a cursor into a position in the store. */
export function readPosition<Position>(cursor: string | null): Position | undefined {
  return cursor === null ? undefined : (JSON.parse(cursor) as Position);
}

/** Returns a page of the first `count` records. The caller must read one more record, which shows that there is a next page. */
export function pageOfRecords<Found, Item>(
  found: readonly Found[],
  count: number,
  read: (one: Found) => Item,
  position: (last: Found) => object,
): Page<Item> {
  const last = found[count - 1];
  const cursor = found.length > count && last !== undefined ? JSON.stringify(position(last)) : null;
  return { items: found.slice(0, count).map(read), cursor };
}
