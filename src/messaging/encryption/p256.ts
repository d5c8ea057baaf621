import { createECDH, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { MalformedError } from './encoding.ts';

/**
 * A key pair of P-256 (SEC 2, secp256r1). Signing uses noble, which keeps private scalars in memory that can be
 * overwritten and signs deterministically. Verification and key agreement use OpenSSL, which is 25 times as fast
 * (measured).
 */
export interface KeyPair {
  /** The private scalar, 32 bytes. */
  privateKey: Uint8Array;
  /** The public point, uncompressed: 65 bytes (SEC 1, section 2.3.3). */
  publicKey: Uint8Array;
}

/** Returns this many random bytes, like `Runtime.randomBytes`. */
export type RandomBytes = (length: number) => Uint8Array;

export const scalarLength = 32;
export const pointLength = 65;

/** The SPKI header of an uncompressed P-256 point: AlgorithmIdentifier and BIT STRING header (RFC 5480, section 2). */
const spkiHeader = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

/** The number of random bytes for one scalar. 48 bytes make the bias smaller than 2^-64 (FIPS 186-5, A.2.1). */
const seedLength = 48;

export function generateKeyPair(randomBytes: RandomBytes): KeyPair {
  const seed = Uint8Array.from(randomBytes(seedLength));
  const privateKey = p256.utils.randomSecretKey(seed);
  seed.fill(0);
  return { privateKey, publicKey: p256.getPublicKey(privateKey, false) };
}

/** Creates a key pair from a copy of a private scalar. Returns undefined if the scalar is not between 1 and n - 1. */
export function keyPairOf(scalar: Uint8Array): KeyPair | undefined {
  if (!p256.utils.isValidSecretKey(scalar)) return undefined;
  return { privateKey: Uint8Array.from(scalar), publicKey: p256.getPublicKey(scalar, false) };
}

export function toSpki(point: Uint8Array): Buffer {
  return Buffer.concat([spkiHeader, point]);
}

/**
 * Extracts the point from an SPKI structure, or returns a bare point, because the official SDK (0.4.3) accepts both.
 * `verifierOf` and `agree` check that the point is on the curve.
 */
export function pointOf(encoded: Uint8Array): Uint8Array {
  const isSpki =
    encoded.length === spkiHeader.length + pointLength && spkiHeader.equals(encoded.subarray(0, spkiHeader.length));
  return Uint8Array.from(isSpki ? encoded.subarray(spkiHeader.length) : encoded);
}

/** Returns a key object that verifies signatures. Throws `MalformedError` if the point is not on the curve. */
export function verifierOf(point: Uint8Array): KeyObject {
  if (point.length !== pointLength || point[0] !== 4) throw new MalformedError('not an uncompressed point');
  try {
    return createPublicKey({ key: toSpki(point), format: 'der', type: 'spki' });
  } catch {
    throw new MalformedError('not a point of the curve');
  }
}

/**
 * Signs with deterministic ECDSA and SHA-256 (RFC 6979). Returns r ‖ s, 64 bytes (IEEE P1363). Like the SDK, it does
 * not normalize s.
 */
export function sign(payload: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return p256.sign(payload, privateKey, { prehash: true, lowS: false, format: 'compact' });
}

export function isSignedBy(verifier: KeyObject, payload: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 2 * scalarLength) return false;
  return verify('sha256', payload, { key: verifier, dsaEncoding: 'ieee-p1363' }, signature);
}

/**
 * Performs ECDH and returns the x-coordinate, 32 bytes (SEC 1, section 3.3.1). Throws `MalformedError` if `point` is not on
 * the curve.
 */
export function sharedSecret(privateKey: Uint8Array, point: Uint8Array): Buffer {
  if (point.length !== pointLength || point[0] !== 4) throw new MalformedError('not an uncompressed point');
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey);
  try {
    return ecdh.computeSecret(point);
  } catch {
    throw new MalformedError('not a point of the curve');
  }
}
