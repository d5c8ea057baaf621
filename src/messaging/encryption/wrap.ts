import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { conversationKeyLength } from './conversation-keys.ts';
import { MalformedError } from './encoding.ts';
import { generateKeyPair, pointLength, type RandomBytes, sharedSecret } from './p256.ts';

/**
 * The encryption of a conversation key for one participant, as in the official SDK (0.4.3):
 *
 *     ephemeral public key (65) ‖ AES-128-GCM of the key (32) ‖ tag (16)
 *
 * The AES key and the IV are the two halves of the output of X9.63-KDF, which takes the shared secret and the ephemeral
 * public key. The IV has 16 bytes, which GCM processes with GHASH (SP 800-38D, section 7.1). It is never reused,
 * because every shared secret is new.
 */
const wrappedLength = pointLength + conversationKeyLength + 16;
const aesKeyLength = 16;

export function wrapKey(key: Uint8Array, identityKey: Uint8Array, randomBytes: RandomBytes): Uint8Array {
  const ephemeral = generateKeyPair(randomBytes);
  const derived = derive(ephemeral.privateKey, identityKey, ephemeral.publicKey);
  const sealed = encryptGcm(derived.subarray(0, aesKeyLength), derived.subarray(aesKeyLength), key);
  ephemeral.privateKey.fill(0);
  derived.fill(0);
  return Buffer.concat([ephemeral.publicKey, sealed]);
}

/** Decrypts a conversation key. Returns undefined if it was encrypted for another key or was changed. */
export function unwrapKey(wrapped: Uint8Array, identityPrivateKey: Uint8Array): Uint8Array | undefined {
  if (wrapped.length !== wrappedLength) return undefined;
  const ephemeralKey = wrapped.subarray(0, pointLength);
  try {
    const derived = derive(identityPrivateKey, ephemeralKey, ephemeralKey);
    const key = decryptGcm(
      derived.subarray(0, aesKeyLength),
      derived.subarray(aesKeyLength),
      wrapped.subarray(pointLength),
    );
    derived.fill(0);
    return key === undefined ? undefined : Uint8Array.from(key);
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}

/**
 * Derives key and IV: ECDH, then X9.63-KDF with SHA-256 (SEC 1, section 3.6.1). The 32 output bytes need one round,
 * whose counter is 1.
 */
function derive(privateKey: Uint8Array, publicKey: Uint8Array, ephemeralKey: Uint8Array): Buffer {
  const secret = sharedSecret(privateKey, publicKey);
  const derived = createHash('sha256')
    .update(secret)
    .update(Buffer.of(0, 0, 0, 1))
    .update(ephemeralKey)
    .digest();
  secret.fill(0);
  return derived;
}

const algorithm = 'aes-128-gcm';
const tagLength = 16;

/**
 * Encrypts with AES-128-GCM (NIST SP 800-38D) without associated data. Returns `ciphertext ‖ tag`. Uses OpenSSL, which
 * runs in constant time.
 */
export function encryptGcm(key: Uint8Array, iv: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagLength });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts. Returns undefined if the tag does not match. */
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
