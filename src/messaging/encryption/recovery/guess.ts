import { timingSafeEqual } from 'node:crypto';
import type { RecoveryEnrolment } from './derive.ts';
import { splitStretched, UnlockKeys } from './keys.ts';
import { oprf, type Random } from './oprf.ts';
import { combinePoints } from './shamir.ts';

/** The evaluation of a blinded code by one realm, and the realm's commitment to the result of the correct code. */
export interface Evaluation {
  readonly place: number;
  readonly evaluated: Uint8Array;
  readonly commitment: Uint8Array;
}

/** One guess of the encryption code, on the client's side. */
export class Guess {
  readonly blindedElement: Uint8Array;
  readonly #enrolment: RecoveryEnrolment;
  readonly #stretched: Uint8Array;
  readonly #blind: Uint8Array;
  readonly #outputs: Uint8Array[] = [];

  /** Blinds a guess. `stretched` is the code after key stretching. `wipe` overwrites it. */
  constructor(enrolment: RecoveryEnrolment, stretched: Uint8Array, random: Random) {
    this.#enrolment = enrolment;
    this.#stretched = stretched;
    const { blind, blinded } = oprf.blind(splitStretched(stretched).input, random);
    this.#blind = blind;
    this.blindedElement = blinded;
  }

  /**
   * Combines the evaluations of two realms. Returns null if the code is wrong or one of the realms is dishonest. In the
   * second case, another pair of realms may succeed.
   */
  combine(one: Evaluation, other: Evaluation): UnlockKeys | null {
    if (!equal(one.commitment, other.commitment)) return null;
    const { input, seed } = splitStretched(this.#stretched);
    const output = this.#finalize(input, one, other);
    if (output === null) return null;
    this.#outputs.push(output);
    const keys = new UnlockKeys(this.#enrolment, seed, output);
    if (equal(keys.commitment, one.commitment)) return keys;
    keys.wipe();
    return null;
  }

  wipe(): void {
    for (const secret of [this.#stretched, this.#blind, ...this.#outputs]) secret.fill(0);
  }

  #finalize(input: Uint8Array, one: Evaluation, other: Evaluation): Uint8Array | null {
    try {
      const element = combinePoints(
        { place: one.place, value: one.evaluated },
        { place: other.place, value: other.evaluated },
      );
      return oprf.finalize(input, this.#blind, element);
    } catch {
      // A value that is not an element of the group is not a valid evaluation.
      return null;
    }
  }
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
