/** Bytes, or a text that is encoded as UTF-8. */
export type TextOrBytes = string | Uint8Array;

/**
 * Returns the HMAC-SHA-256 (RFC 2104) of the concatenated parts, in base64. The kit uses the implementation of noble,
 * which runs everywhere. The gateway uses Node's, which takes a fifth of the processor time.
 */
export type Hmac = (key: TextOrBytes, ...parts: TextOrBytes[]) => string;

export interface StandardMessage {
  id: string;
  timestampSeconds: number;
  body: TextOrBytes;
}

/** Creates the functions that sign deliveries and handshakes. */
export function signatureScheme(hmac: Hmac) {
  /**
   * Returns `sha256=` and the HMAC-SHA256 of the raw body in base64 (docs/webhooks.md, Deliveries). The key is the
   * secret.
   */
  const platformSignature = (body: TextOrBytes, secret: string): string => `sha256=${hmac(secret, body)}`;

  return {
    platformSignature,

    /**
     * Returns the `response_token` of a CRC handshake (docs/webhooks.md, The handshake): the platform signature of the
     * token.
     */
    crcResponseToken: (token: string, secret: string): string => platformSignature(token, secret),

    /**
     * Returns a signature of the Standard Webhooks specification (1.0.0, Signature scheme): `v1,` and the HMAC-SHA256
     * of id, timestamp and body, joined by dots, in base64. The key is the secret in UTF-8 (docs/webhooks.md,
     * Deliveries).
     */
    standardSignature: ({ id, timestampSeconds, body }: StandardMessage, secret: string): string =>
      `v1,${hmac(secret, `${id}.${timestampSeconds}.`, body)}`,
  };
}

/** Compares two texts in constant time, so that timing reveals nothing about their content. */
export function isSameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
