import { timingSafeEqual } from 'node:crypto';
import type { RecoveryEnrolment } from './derive.ts';
import { halves, UnlockKeys } from './keys.ts';
import { oprf, type Random } from './oprf.ts';

/** What the realm of a place made of the blinded element, and what it says that the right code leads to. */
export interface Evaluation {
  readonly place: number;
  readonly evaluated: Uint8Array;
  readonly commitment: Uint8Array;
}

/** One guess of the code, as the one who makes it sees it. */
export class Guess {
  readonly blindedElement: Uint8Array;
  readonly #enrolment: RecoveryEnrolment;
  readonly #stretched: Uint8Array;
  readonly #blind: Uint8Array;
  readonly #outputs: Uint8Array[] = [];

  /** `stretched`: what the code was stretched to, wiped with this. */
  constructor(enrolment: RecoveryEnrolment, stretched: Uint8Array, random: Random) {
    this.#enrolment = enrolment;
    this.#stretched = stretched;
    const { blind, blinded } = oprf.blind(halves(stretched).input, random);
    this.#blind = blind;
    this.blindedElement = blinded;
  }

  /** Null where the code is wrong, or one of the two lies; then any other pair may still lead there. */
  combine(one: Evaluation, other: Evaluation): UnlockKeys | null {
    if (!equal(one.commitment, other.commitment)) return null;
    const { input, seed } = halves(this.#stretched);
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
      const element = oprf.combine(
        { place: one.place, value: one.evaluated },
        { place: other.place, value: other.evaluated },
      );
      return oprf.finalize(input, this.#blind, element);
    } catch {
      // Not an element of the group, so no evaluation.
      return null;
    }
  }
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
