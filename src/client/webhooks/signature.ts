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
     * Returns the signatures of the Standard Webhooks specification (1.0.0, Signature scheme): `v1,` and the
     * HMAC-SHA256 of id, timestamp and body, joined by dots, in base64. There is one for each key of the secret
     * (docs/webhooks.md, Deliveries).
     */
    standardSignatures: ({ id, timestampSeconds, body }: StandardMessage, secret: string): string[] =>
      keysOf(secret).map((key) => `v1,${hmac(key, `${id}.${timestampSeconds}.`, body)}`),
  };
}

/**
 * Returns the HMAC keys of a secret: its text and, if the secret is `whsec_` and base64, the decoded bytes. Standard
 * Webhooks libraries use the decoded bytes.
 */
function keysOf(secret: string): TextOrBytes[] {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  try {
    const key = atob(base64);
    return key === '' ? [secret] : [secret, Uint8Array.from(key, (byte) => byte.charCodeAt(0))];
  } catch {
    return [secret];
  }
}

/** Compares two texts in constant time, so that timing reveals nothing about their content. */
export function isSameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
