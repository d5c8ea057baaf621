/**
 * Thrown when bytes do not have the expected form. `openEvent` catches it and returns `corrupt`. It is
 * also thrown to a caller that tries to encrypt invalid data, such as an id that is not a number.
 */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}

/**
 * Decodes standard base64 (RFC 4648, section 4), with or without padding. Each value has one accepted spelling, because
 * bits that decoding ignores would not be covered by a signature.
 */
export function fromBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  const spelled = bytes.toString('base64');
  if (text !== spelled && text !== withoutPadding(spelled)) throw new MalformedError('not base64');
  return bytes;
}

/** Encodes structs and public keys, with padding. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Encodes signatures and signed bytes without padding, like the official SDK (0.4.3). */
export function toBareBase64(bytes: Uint8Array): string {
  return withoutPadding(toBase64(bytes));
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, '');
}

// Keep a byte order mark, because removing it would change the signed text.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function fromUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new MalformedError('not UTF-8');
  }
}
