import { createHash } from 'node:crypto';
import { fromBase64, MalformedError, toBase64 } from './encoding.ts';
import {
  generateKeyPair,
  type KeyPair,
  keyPairOf,
  pointOf,
  type RandomBytes,
  scalarLength,
  sign,
  toSpki,
  verifierOf,
} from './p256.ts';

/**
 * The two key pairs of a user. Conversation keys are encrypted for `identity`, and events are signed with `signing`.
 */
export interface ChatKeys {
  identity: KeyPair;
  signing: KeyPair;
}

/**
 * A user who encrypts, signs and decrypts: the user's key pairs, and the version under which the public keys are
 * registered.
 */
export interface Self {
  userId: string;
  publicKeyVersion: string;
  keys: ChatKeys;
}

/**
 * The public keys of a user in the form that the platform stores: keys as base64 of SPKI, signatures as base64 of r ‖
 * s.
 */
export interface KeyRegistration {
  /** The public identity key. */
  publicKey: string;
  signingPublicKey: string;
  /** The signature of the identity key, made with the signing key. */
  identityPublicKeySignature: string;
  /** The signature of the signing key, made with the identity key. */
  signingPublicKeySignature: string;
}

export function generateChatKeys(randomBytes: RandomBytes): ChatKeys {
  return { identity: generateKeyPair(randomBytes), signing: generateKeyPair(randomBytes) };
}

/**
 * Returns both private scalars, identity first: 64 bytes in the format of the official SDK (0.4.3). The caller
 * overwrites the bytes after use.
 */
export function exportChatKeys(keys: ChatKeys): Uint8Array {
  const raw = new Uint8Array(2 * scalarLength);
  raw.set(keys.identity.privateKey, 0);
  raw.set(keys.signing.privateKey, scalarLength);
  return raw;
}

/** Creates key pairs from a copy of 64 bytes. Returns undefined if the bytes are not two valid scalars. */
export function importChatKeys(raw: Uint8Array): ChatKeys | undefined {
  if (raw.length !== 2 * scalarLength) return undefined;
  const identity = keyPairOf(raw.subarray(0, scalarLength));
  const signing = keyPairOf(raw.subarray(scalarLength));
  return identity === undefined || signing === undefined ? undefined : { identity, signing };
}

/**
 * Overwrites both private scalars with zeros. Using the keys afterwards throws. Temporary copies made by the arithmetic
 * cannot be overwritten in JavaScript and are left to the garbage collector.
 */
export function zeroiseChatKeys(keys: ChatKeys): void {
  keys.identity.privateKey.fill(0);
  keys.signing.privateKey.fill(0);
}

/**
 * Returns the public keys for registration on the platform. Each key signs the other one, in the encoding in which they
 * are registered.
 */
export function registrationOf(keys: ChatKeys): KeyRegistration {
  const identity = toSpki(keys.identity.publicKey);
  const signing = toSpki(keys.signing.publicKey);
  return {
    publicKey: toBase64(identity),
    signingPublicKey: toBase64(signing),
    identityPublicKeySignature: toBase64(sign(identity, keys.signing.privateKey)),
    signingPublicKeySignature: toBase64(sign(signing, keys.identity.privateKey)),
  };
}

/**
 * Returns the fingerprint of an identity key, which two users can compare over another channel: base64url of the
 * SHA-256 of the SPKI, as the official SDK (0.4.3) shows it. Returns undefined if the key is not valid.
 */
export function fingerprintOf(publicKey: string): string | undefined {
  try {
    const point = pointOf(fromBase64(publicKey));
    verifierOf(point);
    return createHash('sha256').update(toSpki(point)).digest('base64url');
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}
