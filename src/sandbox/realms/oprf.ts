import { createHash } from 'node:crypto';
import { ristretto255 } from '@noble/curves/ed25519.js';

/** Returns `length` random bytes. */
export type Random = (length: number) => Uint8Array;

/** The group of Juicebox's OPRF (https://eprint.iacr.org/2025/348), which is 2HashDH and not that of RFC 9497. */
export const { Point } = ristretto255;
export const { Fn } = Point;

/** Reduces 64 bytes, little endian, to a scalar. */
export function wideScalar(bytes: Uint8Array): bigint {
  return Fn.create(BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`));
}

export function sha512(...parts: (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/**
 * Evaluates a blinded PIN, with a proof that the key is that of `publicKey` (Chaum-Pedersen). Throws if `blinded` is no
 * element of the group, or its identity.
 */
export function evaluate(privateKey: Uint8Array, publicKey: Uint8Array, blinded: Uint8Array, random: Random) {
  const key = Fn.fromBytes(privateKey);
  const u = Point.fromBytes(blinded);
  u.assertValidity();
  if (u.is0()) throw new Error('the identity');
  const result = u.multiply(key).toBytes();
  const t = wideScalar(random(64));
  const [vt, wt] = [Point.BASE.multiply(t).toBytes(), u.multiply(t).toBytes()];
  const c = wideScalar(sha512('Juicebox_DLEQ_2023_1;', blinded, publicKey, result, vt, wt));
  return { result, proof: { c: Fn.toBytes(c), beta_z: Fn.toBytes(Fn.add(t, Fn.mul(key, c))) } };
}
