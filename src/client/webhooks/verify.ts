import { isSameText, platformSignature, standardSignature } from './signature.ts';

export type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How old or how far ahead a delivery's timestamp may be. 300 seconds if left out. */
  toleranceSeconds?: number;
  /** Milliseconds since the Unix epoch; the machine's clock if left out. */
  now?: () => number;
}

export interface Delivery {
  /** The same for every retry and replay of one event. */
  eventId: string;
  /** Counts from 1. */
  attempt: number;
}

/** This request is not from who knows the secret, or is too old. Answer 401, and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Checks that a delivery was signed with this secret, or one of these. `rawBody` must be the bytes that arrived, not a
 * parsed and printed copy of them. It checks the signature of the Standard Webhooks specification (1.0.0), which covers id
 * and time too, so that nobody else can send an old delivery again. Throws `WebhookVerificationError`.
 */
export function verify(
  rawBody: string | Uint8Array,
  headers: ReceivedHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Delivery {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const id = read(headers, 'webhook-id');
  const timestamp = read(headers, 'webhook-timestamp');
  const timestampSeconds = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now() / 1_000 - timestampSeconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('webhook-timestamp is too old, or too far ahead: check the clock');
  }
  const given = read(headers, 'webhook-signature').split(' ');
  const message = { id, timestampSeconds, body: rawBody };
  const isSigned = secrets.some((one) => given.some((text) => isSameText(text, standardSignature(message, one))));
  if (!isSigned) throw new WebhookVerificationError('webhook-signature does not match: check the secret');
  const attempt = Number(read(headers, 'x-platform-webhooks-attempt'));
  return { eventId: read(headers, 'x-platform-webhooks-event-id'), attempt };
}

/** For receivers that know the platform's own signature alone: true where it was made with this secret. */
export function isSignedByPlatform(rawBody: string | Uint8Array, headers: ReceivedHeaders, secret: string): boolean {
  return isSameText(read(headers, 'x-platform-webhooks-signature'), platformSignature(rawBody, secret));
}

function read(headers: ReceivedHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string') return value;
  throw new WebhookVerificationError(`the header ${name} is missing`);
}
