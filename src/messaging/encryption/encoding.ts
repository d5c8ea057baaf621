/** What hostile bytes fail with on their way in, which `openEvent` and its like answer as `corrupt`; and what a caller that
 * would seal something of which that becomes is told: its ids were to be checked before. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/**
 * Standard base64 (RFC 4648, section 4), with or without padding: both are on the wire, signatures bare and structs
 * padded. One spelling each: bits that decoding drops would be bits that nobody signed.
 */
export function fromBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  const spelled = bytes.toString('base64');
  if (text !== spelled && text !== withoutPadding(spelled)) throw new Malformed('not base64');
  return bytes;
}

/** For structs and public keys. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** For signatures, and for bytes inside of what is signed, as the official SDK (0.4.3) spells them. */
export function toBareBase64(bytes: Uint8Array): string {
  return withoutPadding(toBase64(bytes));
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, '');
}

// A byte order mark is text like any other here: dropping it would change what was signed.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function fromUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Malformed('not UTF-8');
  }
}
