import { deriveKey, open, type RecoveryEnrolment, seal, unlockTag } from './derive.ts';
import { oprf } from './oprf.ts';
import type { PlacedShare } from './shamir.ts';

/** Of the 64 bytes that a code is stretched to: what the OPRF evaluates, and what only the holder of the code knows. */
export function halves(stretched: Uint8Array): { input: Uint8Array; seed: Uint8Array } {
  return { input: stretched.subarray(0, 32), seed: stretched.subarray(32) };
}

/** Everything that follows from the evaluation of the right code. */
export class UnlockKeys {
  readonly commitment: Buffer;
  readonly #enrolment: RecoveryEnrolment;
  readonly #seed: Uint8Array;
  readonly #evaluated: Uint8Array;
  readonly #unlockKey: Buffer;

  /** `evaluated`: the OPRF's output. Both are the caller's to wipe, once this is not used any more. */
  constructor(enrolment: RecoveryEnrolment, seed: Uint8Array, evaluated: Uint8Array) {
    this.#enrolment = enrolment;
    this.#seed = seed;
    this.#evaluated = evaluated;
    this.#unlockKey = deriveKey(evaluated, 'unlock key', enrolment);
    this.commitment = deriveKey(evaluated, 'commitment', enrolment);
  }

  tagFor(place: number): Buffer {
    return unlockTag(this.#unlockKey, place);
  }

  sealShare({ place, value }: PlacedShare): Buffer {
    return seal(this.#shareKey(place), value);
  }

  /** Null where the realm of that place gives something else than it was given. */
  openShare(place: number, sealed: Uint8Array): Buffer | null {
    return open(this.#shareKey(place), sealed);
  }

  sealKeys(scalar: Uint8Array, privateKeys: Uint8Array): Buffer {
    return seal(this.#keysKey(scalar), privateKeys);
  }

  openKeys(one: PlacedShare, other: PlacedShare, sealed: Uint8Array): Buffer | null {
    const scalar = oprf.combineScalars(one, other);
    const plain = open(this.#keysKey(scalar), sealed);
    scalar.fill(0);
    return plain;
  }

  wipe(): void {
    this.#unlockKey.fill(0);
  }

  #shareKey(place: number): Buffer {
    return deriveKey(this.#unlockKey, `share ${place}`, this.#enrolment);
  }

  /** Needs the code, two realms' evaluations of it, and two realms' shares. */
  #keysKey(scalar: Uint8Array): Buffer {
    const parts = Buffer.concat([this.#seed, this.#evaluated, scalar]);
    const key = deriveKey(parts, 'chat keys', this.#enrolment);
    parts.fill(0);
    return key;
  }
}
