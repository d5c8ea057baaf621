import { ristretto255, ristretto255_oprf } from '@noble/curves/ed25519.js';

/** Returns `length` random bytes. */
export type Random = (length: number) => Uint8Array;

/** The group of the suite ristretto255-SHA512 (RFC 9497, section 4.1). */
export const group = ristretto255.Point;

/**
 * The OPRF mode of RFC 9497 (section 3.3.1). The key is split by Shamir's secret sharing, and any two of three shares suffice: each realm
 * evaluates with its share, and `combinePoints` of two evaluations is the evaluation with the whole key. Source: Jarecki, Kiayias, Krawczyk
 * and Xu, TOPPSS (https://eprint.iacr.org/2017/363), section 3.
 */
export const oprf = {
  /** Blinds an input, so that the realms learn nothing about it. */
  blind: (input: Uint8Array, random: Random) =>
    ristretto255_oprf.oprf.blind(input, (length = 0) => Uint8Array.from(random(length))),
  /**
   * Evaluates a blinded input with one share of the key. Throws if `blinded` is not an element of the group or is its
   * identity.
   */
  evaluate: (keyShare: Uint8Array, blinded: Uint8Array): Uint8Array =>
    ristretto255_oprf.oprf.blindEvaluate(keyShare, blinded),
  /** `Finalize` of RFC 9497. Returns 64 bytes. */
  finalize: (input: Uint8Array, blind: Uint8Array, evaluated: Uint8Array): Uint8Array =>
    ristretto255_oprf.oprf.finalize(input, blind, evaluated),
};
