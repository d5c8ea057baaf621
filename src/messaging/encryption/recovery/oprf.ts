import { ristretto255, ristretto255_oprf } from '@noble/curves/ed25519.js';
import {
  combinePoints,
  combineScalars,
  type Group,
  type GroupElement,
  type PlacedShare,
  splitScalar,
} from './shamir.ts';

/** Returns `length` random bytes. */
export type Random = (length: number) => Uint8Array;

/** The OPRF mode of RFC 9497 (section 3.3.1), in the form of @noble/curves. */
interface Suite {
  readonly oprf: {
    blind(
      input: Uint8Array,
      random: (length?: number) => Uint8Array<ArrayBuffer>,
    ): { blind: Uint8Array; blinded: Uint8Array };
    blindEvaluate(key: Uint8Array, blinded: Uint8Array): Uint8Array;
    finalize(input: Uint8Array, blind: Uint8Array, evaluated: Uint8Array): Uint8Array;
  };
}

/**
 * A threshold version of the OPRF of RFC 9497. The key is split by Shamir's secret sharing, and any two of three shares
 * suffice. Each realm evaluates with its share, and interpolating two evaluations in the exponent gives the evaluation
 * with the whole key. Source: Jarecki, Kiayias, Krawczyk and Xu, TOPPSS (https://eprint.iacr.org/2017/363), section 3.
 */
export function thresholdOprf<P extends GroupElement<P>>(suite: Suite, group: Group<P>) {
  return {
    /** Splits a key into one share per realm. */
    splitKey: (key: bigint, random: Random): Uint8Array[] => splitScalar(group, key, random),
    /** Blinds an input, so that the realms learn nothing about it. */
    blind: (input: Uint8Array, random: Random) =>
      suite.oprf.blind(input, (length = 0) => Uint8Array.from(random(length))),
    /**
     * Evaluates a blinded input with one share of the key. Throws if `blinded` is not an element of the group or is its
     * identity.
     */
    evaluate: (keyShare: Uint8Array, blinded: Uint8Array) => suite.oprf.blindEvaluate(keyShare, blinded),
    combine: (one: PlacedShare, other: PlacedShare): Uint8Array => combinePoints(group, one, other),
    /** `Finalize` of RFC 9497. Returns 64 bytes for ristretto255. */
    finalize: (input: Uint8Array, blind: Uint8Array, evaluated: Uint8Array) =>
      suite.oprf.finalize(input, blind, evaluated),
    splitScalar: (scalar: bigint, random: Random): Uint8Array[] => splitScalar(group, scalar, random),
    combineScalars: (one: PlacedShare, other: PlacedShare): Uint8Array => combineScalars(group, one, other),
  };
}

/** The suite ristretto255-SHA512 (RFC 9497, section 4.1). */
export const group = ristretto255.Point;
export const oprf = thresholdOprf(ristretto255_oprf, group);
