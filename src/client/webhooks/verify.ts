import { webHmac } from './hmac.ts';
import { isSameText, signatureScheme, type TextOrBytes } from './signature.ts';

const { crcResponseToken, platformSignature, standardSignature } = signatureScheme(webHmac);

/** The body of a request, unchanged. */
export type RawBody = string | ArrayBuffer | ArrayBufferView;

export type ReceivedHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** The maximum difference between the timestamp of a delivery and the current time, in seconds. Default: 300. */
  toleranceSeconds?: number;
  /** Returns the current time in milliseconds since the Unix epoch. Default: the system clock. */
  now?: () => number;
}

export interface Delivery {
  /** The id of the event. Retries and replays have the same id. It is covered by the signature. */
  eventId: string;
  /** The number of this attempt, starting at 1. It is not covered by the signature. */
  attempt: number;
}

/** Thrown if a request is not signed with the secret or is too old. Respond with 401, and do not process the event. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Verifies that a delivery was signed with the secret, or with one of several secrets. `rawBody` must be the received
 * bytes, and not JSON that was parsed and serialized again. It checks the signature of the Standard Webhooks
 * specification (1.0.0), which also covers the id and the time, so that old deliveries cannot be sent again by others.
 * Throws `WebhookVerificationError`.
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
  // Compute one HMAC per secret, because the header may list any number of signatures.
  const expected = secrets.map((one) => standardSignature(message, one));
  if (!expected.some((one) => given.some((text) => isSameText(text, one)))) {
    throw new WebhookVerificationError('webhook-signature does not match: check the secret');
  }
  const attempt = Number(read(headers, 'x-platform-webhooks-attempt'));
  // Return `webhook-id`, which is signed. `x-platform-webhooks-event-id` has the same value but no signature, so an
  // attacker could change it to have a delivery processed twice.
  return { eventId: id, attempt };
}

/**
 * Returns true if the platform signature was made with this secret. Prefer `verify`. The platform signature covers only
 * the body, so it also accepts old deliveries, and texts that a receiver without `answerCrc` signed as the token of a CRC
 * handshake.
 */
export function isSignedByPlatform(rawBody: RawBody, headers: ReceivedHeaders, secret: string): boolean {
  return isSameText(read(headers, 'x-platform-webhooks-signature'), platformSignature(bytesOf(rawBody), secret));
}

/**
 * Returns the JSON body with which a receiver responds to a CRC handshake, with status 200 (docs/webhooks.md, The
 * handshake). Throws `WebhookVerificationError` for a token that Postern does not send. Anyone can call a receiver, and
 * the response would otherwise be the signature of a forged delivery that was sent as the token.
 */
export function answerCrc(token: string, secret: string): { response_token: string } {
  if (!/^[\w-]{1,128}$/.test(token)) throw new WebhookVerificationError('crc_token is not one of Postern');
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
