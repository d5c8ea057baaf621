import { createECDH, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { Malformed } from './encoding.ts';

/**
 * P-256 (SEC 2, secp256r1). What holds a private scalar for long is noble's: nothing of it lies in a key object that cannot
 * be overwritten, and signatures are deterministic. Checking and agreeing are OpenSSL's, by a factor of 25 (measured).
 */
export interface KeyPair {
  /** The scalar, 32 bytes. */
  privateKey: Uint8Array;
  /** The point, uncompressed: 65 bytes (SEC 1, section 2.3.3). */
  publicKey: Uint8Array;
}

/** `Runtime.randomBytes`. */
export type RandomBytes = (length: number) => Uint8Array;

export const scalarLength = 32;
export const pointLength = 65;

/** Of an uncompressed P-256 point: AlgorithmIdentifier and BIT STRING header (RFC 5480, section 2). */
const spkiHeader = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

/** 48 bytes for a scalar of 32, so that its bias is below 2^-64 (FIPS 186-5, A.2.1). */
const seedLength = 48;

export function generateKeyPair(randomBytes: RandomBytes): KeyPair {
  const seed = Uint8Array.from(randomBytes(seedLength));
  const privateKey = p256.utils.randomSecretKey(seed);
  seed.fill(0);
  return { privateKey, publicKey: p256.getPublicKey(privateKey, false) };
}

/** Undefined where `scalar` is not from 1 to n - 1. Copies it. */
export function keyPairOf(scalar: Uint8Array): KeyPair | undefined {
  if (!p256.utils.isValidSecretKey(scalar)) return undefined;
  return { privateKey: Uint8Array.from(scalar), publicKey: p256.getPublicKey(scalar, false) };
}

export function toSpki(point: Uint8Array): Buffer {
  return Buffer.concat([spkiHeader, point]);
}

/**
 * The point in an SPKI structure, or a bare one: the official SDK (0.4.3) reads both. Whether it is on the curve is found out
 * by `verifierOf`, and by `agree`.
 */
export function pointOf(encoded: Uint8Array): Uint8Array {
  const isSpki =
    encoded.length === spkiHeader.length + pointLength && spkiHeader.equals(encoded.subarray(0, spkiHeader.length));
  return Uint8Array.from(isSpki ? encoded.subarray(spkiHeader.length) : encoded);
}

/** What checks signatures of the key `point`. Throws `Malformed` where it is not on the curve. */
export function verifierOf(point: Uint8Array): KeyObject {
  if (point.length !== pointLength || point[0] !== 4) throw new Malformed('not an uncompressed point');
  try {
    return createPublicKey({ key: toSpki(point), format: 'der', type: 'spki' });
  } catch {
    throw new Malformed('not a point of the curve');
  }
}

/** ECDSA with SHA-256, deterministic (RFC 6979), as r ‖ s: 64 bytes (IEEE P1363). Like the SDK, s is left as it comes out. */
export function sign(payload: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return p256.sign(payload, privateKey, { prehash: true, lowS: false, format: 'compact' });
}

export function isSignedBy(verifier: KeyObject, payload: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 2 * scalarLength) return false;
  return verify('sha256', payload, { key: verifier, dsaEncoding: 'ieee-p1363' }, signature);
}

/** ECDH: the x-coordinate, 32 bytes (SEC 1, section 3.3.1). Throws `Malformed` where `point` is not on the curve. */
export function agree(privateKey: Uint8Array, point: Uint8Array): Buffer {
  if (point.length !== pointLength || point[0] !== 4) throw new Malformed('not an uncompressed point');
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey);
  try {
    return ecdh.computeSecret(point);
  } catch {
    throw new Malformed('not a point of the curve');
  }
}
