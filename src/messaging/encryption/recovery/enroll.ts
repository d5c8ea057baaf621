import type { RealmRecord } from '../../../shared/model/realm.ts';
import type { RecoveryEnrolment } from './derive.ts';
import { halves, UnlockKeys } from './keys.ts';
import { group, oprf, type Random } from './oprf.ts';
import { randomScalar } from './shamir.ts';

export interface NewEnrolment extends RecoveryEnrolment {
  /** What the code was stretched to (`Stretcher`), for this account and version. */
  readonly stretched: Uint8Array;
  readonly privateKeys: Uint8Array;
}

export type { RealmRecord };

/**
 * What each realm gets, in the order of their places. In the shape of the Juicebox protocol: a fresh key, of which each
 * realm has a share, turns the code into an unlock key; that opens the realms' shares of a fresh scalar; and code,
 * evaluation and scalar together open the private keys. One realm has one share of each of the two, which says nothing
 * about either, so that it cannot try codes on what it stores.
 */
export function enroll({ accountId, version, stretched, privateKeys }: NewEnrolment, random: Random): RealmRecord[] {
  const { input, seed } = halves(stretched);
  const oprfKey = randomScalar(group.Fn, random);
  const keyShares = oprf.splitKey(oprfKey, random);
  const { blind, blinded } = oprf.blind(input, random);
  const evaluated = oprf.finalize(input, blind, oprf.evaluate(group.Fn.toBytes(oprfKey), blinded));
  const keys = new UnlockKeys({ accountId, version }, seed, evaluated);
  const scalar = randomScalar(group.Fn, random);
  const scalarShares = oprf.splitScalar(scalar, random);
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
