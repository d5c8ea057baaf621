import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { conversationKeyLength } from './conversation-keys.ts';
import { Malformed } from './encoding.ts';
import { agree, generateKeyPair, pointLength, type RandomBytes } from './p256.ts';

/**
 * How a conversation key reaches one participant, as the official SDK (0.4.3) wraps it:
 *
 *     ephemeral public key (65) ‖ AES-128-GCM of the key (32) ‖ tag (16)
 *
 * AES key and IV are the two halves of what X9.63-KDF makes of the shared secret, with the ephemeral public key as shared
 * info. The IV has 16 bytes, which GCM takes through GHASH (SP 800-38D, section 7.1); it never comes twice, since the secret
 * does not.
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

/** Undefined where it was not wrapped to this key, or was altered. */
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
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** ECDH, then X9.63-KDF with SHA-256 (SEC 1, section 3.6.1): its 32 bytes are one round, whose counter is 1. */
function derive(privateKey: Uint8Array, publicKey: Uint8Array, ephemeralKey: Uint8Array): Buffer {
  const secret = agree(privateKey, publicKey);
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
