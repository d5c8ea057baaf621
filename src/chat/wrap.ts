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
const algorithm = 'aes-128-gcm';
const aesKeyLength = 16;
const authTagLength = 16;

export function wrapKey(key: Uint8Array, identityKey: Uint8Array, randomBytes: RandomBytes): Uint8Array {
  const ephemeral = generateKeyPair(randomBytes);
  const derived = derive(ephemeral.privateKey, identityKey, ephemeral.publicKey);
  const cipher = createCipheriv(algorithm, derived.subarray(0, aesKeyLength), derived.subarray(aesKeyLength), {
    authTagLength,
  });
  const sealed = Buffer.concat([cipher.update(key), cipher.final()]);
  ephemeral.privateKey.fill(0);
  derived.fill(0);
  return Buffer.concat([ephemeral.publicKey, sealed, cipher.getAuthTag()]);
}

/** Undefined where it was not wrapped to this key, or was altered. */
export function unwrapKey(wrapped: Uint8Array, identityPrivateKey: Uint8Array): Uint8Array | undefined {
  if (wrapped.length !== wrappedLength) return undefined;
  const ephemeralKey = wrapped.subarray(0, pointLength);
  const tagStart = wrapped.length - authTagLength;
  let derived: Buffer | undefined;
  try {
    derived = derive(identityPrivateKey, ephemeralKey, ephemeralKey);
    const decipher = createDecipheriv(algorithm, derived.subarray(0, aesKeyLength), derived.subarray(aesKeyLength), {
      authTagLength,
    });
    decipher.setAuthTag(wrapped.subarray(tagStart));
    const key = decipher.update(wrapped.subarray(pointLength, tagStart));
    return isAuthentic(() => decipher.final()) ? Uint8Array.from(key) : undefined;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  } finally {
    derived?.fill(0);
  }
}

/** Node says that a tag does not match by throwing. */
function isAuthentic(finish: () => unknown): boolean {
  try {
    finish();
    return true;
  } catch {
    return false;
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
