import { deriveRecoveryKey, open, type RecoveryEnrolment, seal, unlockTag } from './derive.ts';
import { combineScalars, type PlacedShare } from './shamir.ts';

/**
 * Splits the 64 bytes of a stretched code: the first half is the input of the OPRF, and the second half is a secret
 * that never leaves the client.
 */
export function splitStretched(stretched: Uint8Array): { input: Uint8Array; seed: Uint8Array } {
  return { input: stretched.subarray(0, 32), seed: stretched.subarray(32) };
}

/** The keys that derive from the OPRF output of the correct code. */
export class UnlockKeys {
  readonly commitment: Buffer;
  readonly #enrolment: RecoveryEnrolment;
  readonly #seed: Uint8Array;
  readonly #evaluated: Uint8Array;
  readonly #unlockKey: Buffer;

  /** `evaluated` is the output of the OPRF. The caller overwrites `seed` and `evaluated` after use. */
  constructor(enrolment: RecoveryEnrolment, seed: Uint8Array, evaluated: Uint8Array) {
    this.#enrolment = enrolment;
    this.#seed = seed;
    this.#evaluated = evaluated;
    this.#unlockKey = deriveRecoveryKey(evaluated, 'unlock key', enrolment);
    this.commitment = deriveRecoveryKey(evaluated, 'commitment', enrolment);
  }

  tagFor(place: number): Buffer {
    return unlockTag(this.#unlockKey, place);
  }

  sealShare({ place, value }: PlacedShare): Buffer {
    return seal(this.#shareKey(place), value);
  }

  /** Decrypts a realm's share of the scalar. Returns null if the realm returned other bytes than it was given. */
  openShare(place: number, sealed: Uint8Array): Buffer | null {
    return open(this.#shareKey(place), sealed);
  }

  sealKeys(scalar: Uint8Array, privateKeys: Uint8Array): Buffer {
    return seal(this.#keysKey(scalar), privateKeys);
  }

  /** Returns null if a share is not a scalar, or if the keys were not encrypted with the scalar of these shares. */
  openKeys(one: PlacedShare, other: PlacedShare, sealed: Uint8Array): Buffer | null {
    let scalar: Uint8Array;
    try {
      scalar = combineScalars(one, other);
    } catch {
      // A caller can choose the realms, and their shares can be any bytes.
      return null;
    }
    const plain = open(this.#keysKey(scalar), sealed);
    scalar.fill(0);
    return plain;
  }

  wipe(): void {
    this.#unlockKey.fill(0);
  }

  #shareKey(place: number): Buffer {
    return deriveRecoveryKey(this.#unlockKey, `share ${place}`, this.#enrolment);
  }

  /** Derives the key of the private keys. It depends on the code, the OPRF output and the scalar. */
  #keysKey(scalar: Uint8Array): Buffer {
    const parts = Buffer.concat([this.#seed, this.#evaluated, scalar]);
    const key = deriveRecoveryKey(parts, 'chat keys', this.#enrolment);
    parts.fill(0);
    return key;
  }
}
