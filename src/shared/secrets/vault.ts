import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Runtime } from '../runtime/runtime.ts';
import type { Secret } from './secret.ts';
import { deriveKey } from './secret-key-file.ts';

const ivBytes = 12;
const tagBytes = 16;

/** Thrown for a sealed text that cannot be decrypted: no key fits, or it was altered, or it belongs to another record. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
}

/**
 * Encrypts the texts that a store keeps, with AES-256-GCM (NIST SP 800-38D). Each text is bound to its record, so it cannot be
 * decrypted after it was moved to another record. The first key encrypts, all keys decrypt. To change the key, put the new key first,
 * and remove the old key when no text is encrypted with it any more.
 */
export class Vault {
  readonly #keys: readonly { id: string; key: Secret<Buffer> }[];
  readonly #runtime: Runtime;

  constructor(secretKeys: readonly Secret<Buffer>[], runtime: Runtime) {
    this.#keys = secretKeys.map((secretKey) => {
      const key = deriveKey(secretKey, 'at rest');
      return { id: createHmac('sha256', key.expose()).update('id').digest('base64url').slice(0, 8), key };
    });
    this.#runtime = runtime;
  }

  /** Returns the encrypted text, which is printable. `record` is the record that it belongs to, such as `idempotency acc_1 key-7`. */
  seal(text: string, record: string): string {
    const [first] = this.#keys;
    if (!first) throw new VaultError('there is no key to seal with');
    const iv = this.#runtime.randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', recordKey(first.key, record), iv);
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${first.id}.${sealed.toString('base64url')}`;
  }

  /** True if the text names one of these keys as the one that sealed it. */
  knows(sealed: string): boolean {
    const [version, id] = sealed.split('.');
    return version === 'v1' && this.#keys.some((key) => key.id === id);
  }

  /** Throws `VaultError`. */
  open(sealed: string, record: string): string {
    const [version, id, body] = sealed.split('.');
    const known = this.#keys.find((key) => key.id === id);
    if (version !== 'v1' || body === undefined) throw new VaultError('this was not sealed by a vault');
    if (!known) throw new VaultError('this was sealed under a SECRET_KEY that is not here any more');
    const bytes = Buffer.from(body, 'base64url');
    try {
      const decipher = createDecipheriv(
        'aes-256-gcm',
        recordKey(known.key, record),
        bytes.subarray(0, ivBytes),
        // Without it Node takes a tag that was cut short: https://nodejs.org/api/deprecations.html#DEP0182
        { authTagLength: tagBytes },
      );
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      return decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new VaultError('this was altered, or belongs to another record', { cause: error });
    }
  }
}

/**
 * A key of its own for each record. It binds the text to the record, and random IVs under one key are safe for 2^32
 * texts only (SP 800-38D section 8.3), which the answers of a busy gateway would pass.
 */
function recordKey(key: Secret<Buffer>, record: string): Buffer {
  return createHmac('sha256', key.expose()).update(`record ${record}`).digest();
}
