import { createHmac } from 'node:crypto';
import { type Hmac, signatureScheme } from '../../client/webhooks/signature.ts';
import type { DeliverySignatures, WebhookSecrets } from '../shared/secrets.ts';

export const nodeHmac: Hmac = (key, ...parts) => {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest('base64');
};

export const { crcResponseToken, platformSignature, standardSignatures } = signatureScheme(nodeHmac);

export interface SignedAttempt {
  eventId: string;
  /** The number of the attempt, beginning with 1. */
  attempt: number;
  /** The time of the attempt in milliseconds since the Unix epoch. */
  now: number;
}

export interface SignedPayload extends SignedAttempt {
  body: string;
}

const seconds = (ms: number) => Math.floor(ms / 1_000);

/**
 * Signs one delivery attempt. During the rotation of a secret, the standard signature header contains the signatures of
 * both secrets, the new one first (docs/webhooks.md, Rotating a secret).
 */
export function signaturesOf({ eventId, body, now }: SignedPayload, secrets: WebhookSecrets): DeliverySignatures {
  const message = { id: eventId, timestampSeconds: seconds(now), body };
  const previous = secrets.previous !== null && secrets.previous.until > now ? secrets.previous.secret : null;
  const signing = previous === null ? [secrets.secret] : [secrets.secret, previous];
  return {
    platform: platformSignature(body, secrets.proven ? secrets.secret : (previous ?? secrets.secret)),
    standard: signing.flatMap((secret) => standardSignatures(message, secret)).join(' '),
  };
}

/** Returns the headers of one delivery attempt. */
export function deliveryHeaders(
  { eventId, attempt, now }: SignedAttempt,
  { platform, standard }: DeliverySignatures,
): Record<string, string> {
  const timestamp = String(seconds(now));
  return {
    'content-type': 'application/json',
    'x-platform-webhooks-signature': platform,
    'x-platform-webhooks-event-id': eventId,
    'x-platform-webhooks-attempt': String(attempt),
    'x-platform-webhooks-timestamp': timestamp,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard,
  };
}

export function signedHeaders(payload: SignedPayload, secrets: WebhookSecrets): Record<string, string> {
  return deliveryHeaders(payload, signaturesOf(payload, secrets));
}
