import { group, type Random } from './oprf.ts';

/** The number of shares. Any two of them reconstruct the secret. */
export const SHARES = 3;

const { Fn } = group;

/** A share, or a value computed with a share. `place` is the number of its realm, from 1. */
export interface PlacedShare {
  readonly place: number;
  readonly value: Uint8Array;
}

/**
 * Splits a secret by Shamir's secret sharing (CACM 22/11, 1979) with a polynomial of degree 1. The secret is the value
 * at 0, and the share of place x is the value at x.
 */
export function splitScalar(secret: bigint, random: Random): Uint8Array[] {
  const slope = randomScalar(random);
  return Array.from({ length: SHARES }, (_, index) =>
    Fn.toBytes(Fn.add(secret, Fn.mul(slope, Fn.create(BigInt(index + 1))))),
  );
}

export function combineScalars(one: PlacedShare, other: PlacedShare): Uint8Array {
  const part = (share: PlacedShare, against: PlacedShare) =>
    Fn.mul(Fn.fromBytes(share.value), lagrangeCoefficient(share, against));
  return Fn.toBytes(Fn.add(part(one, other), part(other, one)));
}

/** Combines two points that were computed with shares of a scalar, by interpolation in the exponent. */
export function combinePoints(one: PlacedShare, other: PlacedShare): Uint8Array {
  const part = (share: PlacedShare, against: PlacedShare) =>
    group.fromBytes(share.value).multiply(lagrangeCoefficient(share, against));
  return part(one, other).add(part(other, one)).toBytes();
}

/** Returns the Lagrange coefficient of `share` at 0. */
function lagrangeCoefficient(share: PlacedShare, other: PlacedShare): bigint {
  const [x, against] = [BigInt(share.place), BigInt(other.place)];
  return Fn.mul(Fn.create(against), Fn.inv(Fn.create(against - x)));
}

/**
 * Returns a uniformly random scalar other than 0. Uses 16 more bytes than a scalar has, to make the bias negligible
 * (RFC 9380, section 5.1).
 */
export function randomScalar(random: Random): bigint {
  const number = BigInt(`0x${Buffer.from(random(Fn.BYTES + 16)).toString('hex')}`);
  return (number % (Fn.ORDER - 1n)) + 1n;
}
