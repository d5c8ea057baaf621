import { ristretto255, ristretto255_oprf } from '@noble/curves/ed25519.js';
import {
  combinePoints,
  combineScalars,
  type Group,
  type GroupElement,
  type PlacedShare,
  splitScalar,
} from './shamir.ts';

/** As many random bytes as asked for. */
export type Random = (length: number) => Uint8Array;

/** The OPRF mode of RFC 9497 (section 3.3.1), as a suite of @noble/curves has it. */
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
 * The OPRF of RFC 9497 under a key that nobody has: it is shared out (Shamir, any two of three), each holder evaluates with
 * its share, and two evaluations, interpolated in the exponent, are the evaluation with the key. That is the construction
 * of Jarecki, Kiayias, Krawczyk and Xu, TOPPSS (https://eprint.iacr.org/2017/363), section 3.
 */
export function thresholdOprf<P extends GroupElement<P>>(suite: Suite, group: Group<P>) {
  return {
    /** A key that is shared out at once. */
    splitKey: (key: bigint, random: Random): Uint8Array[] => splitScalar(group, key, random),
    /** What the evaluators see of the input: nothing. */
    blind: (input: Uint8Array, random: Random) =>
      suite.oprf.blind(input, (length = 0) => Uint8Array.from(random(length))),
    /** A holder's part. Throws where `blinded` is no element of the group other than its identity. */
    evaluate: (keyShare: Uint8Array, blinded: Uint8Array) => suite.oprf.blindEvaluate(keyShare, blinded),
    combine: (one: PlacedShare, other: PlacedShare): Uint8Array => combinePoints(group, one, other),
    /** `Finalize` of RFC 9497: 64 bytes with ristretto255. */
    finalize: (input: Uint8Array, blind: Uint8Array, evaluated: Uint8Array) =>
      suite.oprf.finalize(input, blind, evaluated),
    splitScalar: (scalar: bigint, random: Random): Uint8Array[] => splitScalar(group, scalar, random),
    combineScalars: (one: PlacedShare, other: PlacedShare): Uint8Array => combineScalars(group, one, other),
  };
}

/** Suite ristretto255-SHA512 (RFC 9497, section 4.1). */
export const group = ristretto255.Point;
export const oprf = thresholdOprf(ristretto255_oprf, group);
