import type { WebhookSecrets } from '../shared/secrets.ts';
import { platformSignature, standardSignature } from '../shared/signatures.ts';

export interface SignedPayload {
  eventId: string;
  /** Counts from 1. */
  attempt: number;
  body: string;
  /** Milliseconds since the Unix epoch. */
  now: number;
}

/**
 * Returns the headers of one attempt. While a secret is rotated, the standard signature is made with both (docs/webhooks.md,
 * Rotating a secret).
 */
export function signedHeaders(
  { eventId, attempt, body, now }: SignedPayload,
  secrets: WebhookSecrets,
): Record<string, string> {
  const timestampSeconds = Math.floor(now / 1_000);
  const message = { id: eventId, timestampSeconds, body };
  const previous = secrets.previous !== null && secrets.previous.until > now ? secrets.previous.secret : null;
  const signing = previous === null ? [secrets.secret] : [secrets.secret, previous];
  return {
    'content-type': 'application/json',
    'x-platform-webhooks-signature': platformSignature(
      body,
      secrets.proven ? secrets.secret : (previous ?? secrets.secret),
    ),
    'x-platform-webhooks-event-id': eventId,
    'x-platform-webhooks-attempt': String(attempt),
    'x-platform-webhooks-timestamp': String(timestampSeconds),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signing.map((secret) => standardSignature(message, secret)).join(' '),
  };
}
