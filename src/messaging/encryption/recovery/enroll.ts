import type { RealmRecord } from '../../../shared/model/realm.ts';
import type { RecoveryEnrolment } from './derive.ts';
import { splitStretched, UnlockKeys } from './keys.ts';
import { group, oprf, type Random } from './oprf.ts';
import { randomScalar, splitScalar } from './shamir.ts';

export interface NewEnrolment extends RecoveryEnrolment {
  /** The encryption code after key stretching (`KeyStretcher`), for this account and version. */
  readonly stretched: Uint8Array;
  readonly privateKeys: Uint8Array;
}

export type { RealmRecord };

/**
 * Creates the records of all realms, in the order of their numbers, following the Juicebox protocol. A new OPRF key
 * turns the code into an unlock key. The unlock key decrypts the realms' shares of a new secret scalar. The code, the
 * OPRF output and the scalar together decrypt the private keys. Each realm has one share of the OPRF key and one of the
 * scalar. A single share reveals nothing, so a realm cannot try codes on its own records.
 */
export function enroll({ accountId, version, stretched, privateKeys }: NewEnrolment, random: Random): RealmRecord[] {
  const { input, seed } = splitStretched(stretched);
  const oprfKey = randomScalar(random);
  const keyShares = splitScalar(oprfKey, random);
  const { blind, blinded } = oprf.blind(input, random);
  const evaluated = oprf.finalize(input, blind, oprf.evaluate(group.Fn.toBytes(oprfKey), blinded));
  const keys = new UnlockKeys({ accountId, version }, seed, evaluated);
  const scalar = randomScalar(random);
  const scalarShares = splitScalar(scalar, random);
  const sealedKeys = keys.sealKeys(group.Fn.toBytes(scalar), privateKeys);
  const records = keyShares.map((oprfKeyShare, index): RealmRecord => {
    const place = index + 1;
    const value = scalarShares[index] ?? new Uint8Array();
    const sealedShare = keys.sealShare({ place, value });
    return {
      version,
      oprfKeyShare,
      commitment: keys.commitment,
      unlockTag: keys.tagFor(place),
      sealedShare,
      sealedKeys,
    };
  });
  keys.wipe();
  for (const secret of [blind, evaluated, ...scalarShares]) secret.fill(0);
  return records;
}
