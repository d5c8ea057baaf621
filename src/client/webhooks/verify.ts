import { webHmac } from './hmac.ts';
import { isSameText, signatureScheme, type TextOrBytes } from './signature.ts';

const { crcResponseToken, platformSignature, standardSignature } = signatureScheme(webHmac);

/** The bytes of a body as they arrived. */
export type RawBody = string | ArrayBuffer | ArrayBufferView;

export type ReceivedHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How old or how far ahead a delivery's timestamp may be. 300 seconds if left out. */
  toleranceSeconds?: number;
  /** Milliseconds since the Unix epoch; the machine's clock if left out. */
  now?: () => number;
}

export interface Delivery {
  /** The id of the event, which is the same for every retry and replay. It is signed. */
  eventId: string;
  /** Counts from 1. Not signed. */
  attempt: number;
}

/** The request was not signed with the secret, or is too old. Respond with 401, and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Checks that a delivery was signed with this secret, or one of these. `rawBody` must be the bytes that arrived, not a
 * parsed and printed copy of them. It checks the signature of the Standard Webhooks specification (1.0.0), which covers id
 * and time too, so that nobody else can send an old delivery again. Throws `WebhookVerificationError`.
 */
export function verify(
  rawBody: RawBody,
  headers: ReceivedHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Delivery {
  const secrets = [secret].flat();
  const id = read(headers, 'webhook-id');
  const timestamp = read(headers, 'webhook-timestamp');
  const timestampSeconds = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now() / 1_000 - timestampSeconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('webhook-timestamp is too old, or too far ahead: check the clock');
  }
  const given = read(headers, 'webhook-signature').split(' ');
  const message = { id, timestampSeconds, body: bytesOf(rawBody) };
  // One HMAC for each secret, however many signatures the header lists.
  const expected = secrets.map((one) => standardSignature(message, one));
  if (!expected.some((one) => given.some((text) => isSameText(text, one)))) {
    throw new WebhookVerificationError('webhook-signature does not match: check the secret');
  }
  const attempt = Number(read(headers, 'x-platform-webhooks-attempt'));
  // `webhook-id` is signed. `x-platform-webhooks-event-id` has the same value but no signature, so a changed one would let
  // a delivery be processed twice.
  return { eventId: id, attempt };
}

/**
 * Returns whether the platform's own signature was made with this secret. It covers the body only. Prefer `verify`: this
 * signature also accepts old deliveries, and texts that the receiver has signed as the token of a CRC handshake.
 */
export function isSignedByPlatform(rawBody: RawBody, headers: ReceivedHeaders, secret: string): boolean {
  return isSameText(read(headers, 'x-platform-webhooks-signature'), platformSignature(bytesOf(rawBody), secret));
}

/** The JSON body of the 200 with which a receiver responds to a CRC handshake (docs/webhooks.md, The handshake). */
export function answerCrc(token: string, secret: string): { response_token: string } {
  return { response_token: crcResponseToken(token, secret) };
}

function read(headers: ReceivedHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : headers[name];
  if (typeof value === 'string') return value;
  throw new WebhookVerificationError(`the header ${name} is missing`);
}

function isHeaders(headers: ReceivedHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function';
}

function bytesOf(body: RawBody): TextOrBytes {
  if (typeof body === 'string') return body;
  return ArrayBuffer.isView(body)
    ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    : new Uint8Array(body);
}
