import { formatIsoTime } from '../../shared/model/time.ts';
import type { WebhookView } from '../../shared/model/webhook.ts';
import type { WebhookRecord } from '../../store/port.ts';
import { toleratedMs } from './daily-check.ts';

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
