import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

/** Which enrolment of which account something is for; whatever is derived is bound to it. */
export interface RecoveryEnrolment {
  readonly accountId: string;
  readonly version: string;
}

const TAG_BYTES = 16;
/** Each key seals one thing only, so that its nonce may be fixed (NIST SP 800-38D, section 8.3, wants no pair used twice). */
const nonce = Buffer.alloc(12);

/** HKDF with SHA-256 (RFC 5869). Labels keep apart what is derived from the same secret. */
export function deriveKey(secret: Uint8Array, label: string, { accountId, version }: RecoveryEnrolment): Buffer {
  const info = ['postern chat recovery 1', label, accountId, version].join('\0');
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), info, 32));
}

/** What a realm wants to see: HMAC-SHA256 of its place under the unlock key. */
export function unlockTag(unlockKey: Uint8Array, place: number): Buffer {
  return createHmac('sha256', unlockKey).update(`realm ${place}`).digest();
}

/** AES-256-GCM under a key that seals nothing else. */
export function seal(key: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Null where it was not sealed under this key, or was changed. */
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
