import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Runtime } from '../runtime/runtime.ts';
import type { Secret } from './secret.ts';
import { derivePurposeKey } from './secret-key-file.ts';

const ivBytes = 12;
const tagBytes = 16;

/** Thrown if an encrypted text cannot be decrypted: no key fits, the text was modified, or it belongs to another record. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
}

/** Returns the decrypted value. Returns `null` if it was encrypted with a key that is not configured any more. */
export function decryptedOrNull<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof VaultError) return null;
    throw error;
  }
}

/**
 * Encrypts texts for the store with AES-256-GCM (NIST SP 800-38D). Each text is bound to its record, so it cannot be decrypted after it was
 * moved to another record. The first key encrypts, and all keys decrypt. To change the key, add the new key at the front, and remove the
 * old key when no text is encrypted with it any more.
 */
export class Vault {
  readonly #keys: readonly { id: string; key: Secret<Buffer> }[];
  readonly #runtime: Runtime;

  constructor(secretKeys: readonly Secret<Buffer>[], runtime: Runtime) {
    this.#keys = secretKeys.map((secretKey) => {
      const key = derivePurposeKey(secretKey, 'at rest');
      return { id: createHmac('sha256', key.expose()).update('id').digest('base64url').slice(0, 8), key };
    });
    this.#runtime = runtime;
  }

  /**
   * Encrypts a text and returns a printable string. `record` identifies the record that the text belongs to, such as `idempotency acc_1
   * key-7`.
   */
  seal(text: string, record: string): string {
    const [first] = this.#keys;
    if (!first) throw new VaultError('there is no key to encrypt with');
    const iv = this.#runtime.randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', recordKey(first.key, record), iv);
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${first.id}.${sealed.toString('base64url')}`;
  }

  /** Returns true if the text was encrypted with one of these keys, judging by its key id. */
  knows(sealed: string): boolean {
    const [version, id] = sealed.split('.');
    return version === 'v1' && this.#keys.some((key) => key.id === id);
  }

  /** Decrypts a text. Throws `VaultError`. */
  open(sealed: string, record: string): string {
    const [version, id, body] = sealed.split('.');
    const known = this.#keys.find((key) => key.id === id);
    if (version !== 'v1' || body === undefined) throw new VaultError('the text was not encrypted by a vault');
    if (!known) throw new VaultError('the text was encrypted with a SECRET_KEY that is not configured any more');
    const bytes = Buffer.from(body, 'base64url');
    try {
      const decipher = createDecipheriv(
        'aes-256-gcm',
        recordKey(known.key, record),
        bytes.subarray(0, ivBytes),
        // Without this option Node accepts a truncated tag: https://nodejs.org/api/deprecations.html#DEP0182
        { authTagLength: tagBytes },
      );
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      return decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new VaultError('the text was modified, or belongs to another record', { cause: error });
    }
  }
}

/**
 * Derives a key for each record. This binds the text to the record. It also keeps the number of texts per key low, because random IVs are
 * safe for at most 2^32 texts under one key (SP 800-38D section 8.3).
 */
function recordKey(key: Secret<Buffer>, record: string): Buffer {
  return createHmac('sha256', key.expose()).update(`record ${record}`).digest();
}
