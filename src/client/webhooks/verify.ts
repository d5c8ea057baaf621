import { requireSecrets, webHmac } from './hmac.ts';
import { isSameText, signatureScheme, type TextOrBytes } from './signature.ts';

const { crcResponseToken, platformSignature, standardSignatures } = signatureScheme(webHmac);

/** The body of a request, unchanged. */
export type RawBody = string | ArrayBuffer | ArrayBufferView;

/**
 * The headers of a request: `Headers`, a `Map`, pairs, the headers of Node or Express, or `headers` or
 * `multiValueHeaders` of AWS Lambda. Names may have any case.
 */
export type ReceivedHeaders =
  | { get(name: string): string | null }
  | Iterable<readonly [string, string | readonly string[]]>
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
  const secrets = requireSecrets(secret);
  const id = read(headers, 'webhook-id');
  const timestamp = read(headers, 'webhook-timestamp');
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a Unix time');
  const timestampSeconds = Number(timestamp);
  if (!(Math.abs(now() / 1_000 - timestampSeconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('webhook-timestamp is too old, or too far ahead: check the clock');
  }
  const given = read(headers, 'webhook-signature').split(' ');
  const message = { id, timestampSeconds, body: bytesOf(rawBody) };
  // The number of HMACs depends on the secrets only, because the header may list any number of signatures.
  const expected = secrets.flatMap((one) => standardSignatures(message, one));
  if (!expected.some((one) => given.some((text) => isSameText(text, one)))) {
    throw new WebhookVerificationError(
      'webhook-signature does not match: check the secret, and that the body is unchanged (decoded if isBase64Encoded is true)',
    );
  }
  const attempt = Number(read(headers, 'x-platform-webhooks-attempt'));
  if (!(attempt >= 1)) throw new WebhookVerificationError('x-platform-webhooks-attempt is not a number');
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
export function answerCrc(token: string | null | undefined, secret: string): { response_token: string } {
  if (typeof token !== 'string') throw new WebhookVerificationError('crc_token is missing, or not one string');
  if (!/^[\w-]{1,128}$/.test(token)) throw new WebhookVerificationError('crc_token is not one of Postern');
  return { response_token: crcResponseToken(token, secret) };
}

function read(headers: ReceivedHeaders, name: string): string {
  if (typeof headers !== 'object' || headers === null) throw new WebhookVerificationError('the headers are missing');
  const [value, ...more] = new Set(valuesOf(headers, name));
  if (typeof value !== 'string') throw new WebhookVerificationError(`the header ${name} is missing`);
  if (more.length > 0) throw new WebhookVerificationError(`the header ${name} has several values`);
  return value;
}

function valuesOf(headers: ReceivedHeaders, name: string): unknown[] {
  if (!(Symbol.iterator in headers) && hasGet(headers)) return [headers.get(name)];
  const entries: Iterable<unknown> = Symbol.iterator in headers ? headers : Object.entries(headers);
  return Array.from(entries, (entry) => {
    const [key, value] = Array.isArray(entry) ? entry : [];
    return String(key).toLowerCase() === name ? value : [];
  }).flat();
}

function hasGet(headers: object): headers is { get(name: string): string | null } {
  return 'get' in headers && typeof headers.get === 'function';
}

function bytesOf(body: RawBody): TextOrBytes {
  if (typeof body === 'string') return body;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  // `instanceof` is false for an ArrayBuffer of another realm, for example in a test runner.
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body);
  throw new WebhookVerificationError('the body must be the received text or bytes, not parsed JSON');
}
