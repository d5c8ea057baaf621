import { createCipheriv, createDecipheriv } from 'node:crypto';

const algorithm = 'aes-128-gcm';
const tagLength = 16;

/** AES-128-GCM (NIST SP 800-38D) without associated data, as `ciphertext ‖ tag`. OpenSSL's: its time tells nothing of the key. */
export function encryptGcm(key: Uint8Array, iv: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagLength });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined where the tag does not match. */
export function decryptGcm(key: Uint8Array, iv: Uint8Array, sealed: Uint8Array): Buffer | undefined {
  const tagStart = sealed.length - tagLength;
  if (tagStart < 0) return undefined;
  const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagLength });
  decipher.setAuthTag(sealed.subarray(tagStart));
  const plain = decipher.update(sealed.subarray(0, tagStart));
  try {
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
}
