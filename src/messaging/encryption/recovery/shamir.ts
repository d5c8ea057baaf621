import type { Random } from './oprf.ts';

/** How many shares there are; two of them make the secret. */
export const SHARES = 3;

export interface GroupElement<P> {
  add(other: P): P;
  multiply(scalar: bigint): P;
  toBytes(): Uint8Array;
}

/** A group of prime order, as @noble/curves has it. */
export interface Group<P extends GroupElement<P>> {
  /** Its scalars. */
  readonly Fn: {
    readonly ORDER: bigint;
    readonly BYTES: number;
    fromBytes(bytes: Uint8Array): bigint;
    toBytes(scalar: bigint): Uint8Array;
    create(number: bigint): bigint;
    add(one: bigint, other: bigint): bigint;
    mul(one: bigint, other: bigint): bigint;
    inv(scalar: bigint): bigint;
  };
  fromBytes(bytes: Uint8Array): P;
}

/** A share, or what was made with one, and whose it is: places count from 1. */
export interface PlacedShare {
  readonly place: number;
  readonly value: Uint8Array;
}

/** Shamir's secret sharing (CACM 22/11, 1979) by a line: the secret at 0, the share of place x at x. */
export function splitScalar<P extends GroupElement<P>>({ Fn }: Group<P>, secret: bigint, random: Random): Uint8Array[] {
  const slope = randomScalar(Fn, random);
  return Array.from({ length: SHARES }, (_, index) =>
    Fn.toBytes(Fn.add(secret, Fn.mul(slope, Fn.create(BigInt(index + 1))))),
  );
}

export function combineScalars<P extends GroupElement<P>>(
  { Fn }: Group<P>,
  one: PlacedShare,
  other: PlacedShare,
): Uint8Array {
  const part = (share: PlacedShare, against: PlacedShare) =>
    Fn.mul(Fn.fromBytes(share.value), weight(Fn, share, against));
  return Fn.toBytes(Fn.add(part(one, other), part(other, one)));
}

/** The same in the exponent. */
export function combinePoints<P extends GroupElement<P>>(
  group: Group<P>,
  one: PlacedShare,
  other: PlacedShare,
): Uint8Array {
  const part = (share: PlacedShare, against: PlacedShare) =>
    group.fromBytes(share.value).multiply(weight(group.Fn, share, against));
  return part(one, other).add(part(other, one)).toBytes();
}

/** Lagrange's weight at 0 of `share` beside `other`. */
function weight(Fn: Group<never>['Fn'], share: PlacedShare, other: PlacedShare): bigint {
  const [x, against] = [BigInt(share.place), BigInt(other.place)];
  return Fn.mul(Fn.create(against), Fn.inv(Fn.create(against - x)));
}

/** Any scalar but 0, evenly: from 16 bytes more than one has (RFC 9380, section 5.1). */
export function randomScalar(Fn: { readonly ORDER: bigint; readonly BYTES: number }, random: Random): bigint {
  const number = BigInt(`0x${Buffer.from(random(Fn.BYTES + 16)).toString('hex')}`);
  return (number % (Fn.ORDER - 1n)) + 1n;
}
