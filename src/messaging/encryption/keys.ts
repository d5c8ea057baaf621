import { createHash } from 'node:crypto';
import { fromBase64, Malformed, toBase64 } from './encoding.ts';
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

/** A user's two key pairs: conversation keys are wrapped to `identity`, events are signed with `signing`. */
export interface ChatKeys {
  identity: KeyPair;
  signing: KeyPair;
}

/** Somebody who seals, signs and opens: their keys, and the version that these were registered under. */
export interface Self {
  userId: string;
  publicKeyVersion: string;
  keys: ChatKeys;
}

/** A user's public keys as the platform keeps them: keys as base64 of SPKI, signatures as base64 of r ‖ s. */
export interface KeyRegistration {
  /** The identity key. */
  publicKey: string;
  signingPublicKey: string;
  /** The signing key's signature of the identity key. */
  identityPublicKeySignature: string;
  /** The identity key's signature of the signing key. */
  signingPublicKeySignature: string;
}

export function generateChatKeys(randomBytes: RandomBytes): ChatKeys {
  return { identity: generateKeyPair(randomBytes), signing: generateKeyPair(randomBytes) };
}

/** 64 bytes: both scalars, identity first, as the official SDK (0.4.3) exports them. The caller zeroises what it was given. */
export function exportChatKeys(keys: ChatKeys): Uint8Array {
  const raw = new Uint8Array(2 * scalarLength);
  raw.set(keys.identity.privateKey, 0);
  raw.set(keys.signing.privateKey, scalarLength);
  return raw;
}

/** Undefined where `raw` is not two scalars of the curve: what was recovered is no key. Copies `raw`. */
export function importChatKeys(raw: Uint8Array): ChatKeys | undefined {
  if (raw.length !== 2 * scalarLength) return undefined;
  const identity = keyPairOf(raw.subarray(0, scalarLength));
  const signing = keyPairOf(raw.subarray(scalarLength));
  return identity === undefined || signing === undefined ? undefined : { identity, signing };
}

/**
 * Overwrites both scalars; sealing and opening with these keys throws from then on. Copies that arithmetic made in passing are
 * the garbage collector's: JavaScript promises no more.
 */
export function zeroiseChatKeys(keys: ChatKeys): void {
  keys.identity.privateKey.fill(0);
  keys.signing.privateKey.fill(0);
}

/** What the platform is told of a user's keys. Each key signs the other, both in the encoding that they are registered in. */
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
 * What two people compare out of band: base64url of SHA-256 over the identity key's SPKI, as the official SDK (0.4.3) shows
 * it. Undefined for what is no public key.
 */
export function fingerprintOf(publicKey: string): string | undefined {
  try {
    const point = pointOf(fromBase64(publicKey));
    verifierOf(point);
    return createHash('sha256').update(toSpki(point)).digest('base64url');
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
