/** A text stands for its UTF-8 bytes. */
export type TextOrBytes = string | Uint8Array;

/**
 * HMAC-SHA-256 (RFC 2104) of the parts, one after the other, in base64. The kit uses noble's, which runs everywhere;
 * the gateway uses Node's, which needs a fifth of its processor time.
 */
export type Hmac = (key: TextOrBytes, ...parts: TextOrBytes[]) => string;

export interface StandardMessage {
  id: string;
  timestampSeconds: number;
  body: TextOrBytes;
}

/** The signatures of a delivery and of a handshake. */
export function signatureScheme(hmac: Hmac) {
  /** `sha256=` and the base64 of HMAC-SHA256 over the raw body (docs/webhooks.md, Deliveries), keyed with the secret. */
  const platformSignature = (body: TextOrBytes, secret: string): string => `sha256=${hmac(secret, body)}`;

  return {
    platformSignature,

    /** The `response_token` of a CRC handshake (docs/webhooks.md, The handshake): signed like a body that is the token alone. */
    crcResponseToken: (token: string, secret: string): string => platformSignature(token, secret),

    /**
     * One signature of the Standard Webhooks specification (1.0.0, Signature scheme): `v1,` and the base64 of HMAC-SHA256
     * over id, timestamp and body, joined by dots. The key is the UTF-8 bytes of the secret (docs/webhooks.md, Deliveries).
     */
    standardSignature: ({ id, timestampSeconds, body }: StandardMessage, secret: string): string =>
      `v1,${hmac(secret, `${id}.${timestampSeconds}.`, body)}`,
  };
}

/** Compares two texts in a time that depends on their length only, so that it tells nothing about their content. */
export function isSameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
