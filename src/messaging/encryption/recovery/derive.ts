import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

/** The account and version of an enrolment. Derived keys are bound to both. */
export interface RecoveryEnrolment {
  readonly accountId: string;
  readonly version: string;
}

const TAG_BYTES = 16;
/**
 * A constant nonce. It is safe because each key encrypts only one message (NIST SP 800-38D, section 8.3, forbids the
 * reuse of a pair of key and nonce).
 */
const nonce = Buffer.alloc(12);

/** Derives a key with HKDF-SHA-256 (RFC 5869). Different labels give independent keys from the same secret. */
export function deriveRecoveryKey(
  secret: Uint8Array,
  label: string,
  { accountId, version }: RecoveryEnrolment,
): Buffer {
  const info = ['postern chat recovery 1', label, accountId, version].join('\0');
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), info, 32));
}

/** Returns the tag that proves the correct code to one realm: HMAC-SHA256 of the realm's number with the unlock key. */
export function unlockTag(unlockKey: Uint8Array, place: number): Buffer {
  return createHmac('sha256', unlockKey).update(`realm ${place}`).digest();
}

/** Encrypts with AES-256-GCM. The key must not encrypt anything else, because the nonce is constant. */
export function seal(key: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts. Returns null if the key is wrong or the bytes were changed. */
export function open(key: Uint8Array, sealed: Uint8Array): Buffer | null {
  if (sealed.length < TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const plain = decipher.update(sealed.subarray(0, -TAG_BYTES));
  try {
    decipher.final();
    return plain;
  } catch {
    plain.fill(0);
    return null;
  }
}
