import { createHmac, timingSafeEqual } from 'node:crypto';

/** `sha256=` and the base64 of HMAC-SHA256 over the raw body (SPEC.md, Delivery signature), keyed with the secret. */
export function platformSignature(body: string | Uint8Array, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`;
}

/** The `response_token` of a CRC handshake (SPEC.md, CRC handshake): signed like a body that is the token alone. */
export function crcResponseToken(token: string, secret: string): string {
  return platformSignature(token, secret);
}

export interface StandardMessage {
  id: string;
  timestampSeconds: number;
  body: string | Uint8Array;
}

/**
 * One signature of the Standard Webhooks specification (1.0.0, Signature scheme): `v1,` and the base64 of HMAC-SHA256 over
 * id, timestamp and body, joined by dots. The key is the UTF-8 bytes of the secret (DECISIONS.md).
 */
export function standardSignature({ id, timestampSeconds, body }: StandardMessage, secret: string): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')}`;
}

/** Compares without telling by its time how much was right. */
export function isSameText(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
}
