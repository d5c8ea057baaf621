import type { RealmRecord, UnlockedRecord } from '../shared/model/realm.ts';

/** The enrolment of an account at one key realm. `locked`: no guesses remain, and the realm has destroyed its share. */
export type RealmState =
  | { readonly kind: 'enrolled'; readonly accountId: string; readonly version: string }
  | { readonly kind: 'none' | 'locked'; readonly accountId: string };

/** The response of a realm to a guess. `stale`: the realm has no record of that version. */
export type GuessAnswer =
  | {
      readonly kind: 'evaluated';
      readonly evaluated: Uint8Array;
      readonly commitment: Uint8Array;
      /** The number of guesses that remain after this one. */
      readonly guessesRemaining: number;
    }
  | { readonly kind: 'locked' | 'stale' };

export type UnlockAnswer =
  | ({ readonly kind: 'unlocked' } & UnlockedRecord)
  | { readonly kind: 'refused' | 'locked' | 'stale' };

/** One of the key realms, on behalf of an actor. Requests are neither repeated nor aborted after they were sent. */
export interface PlatformRealm {
  /** The number of the realm, starting at 1. */
  readonly place: number;
  /** Performs the first step of a key recovery. It costs no guess. */
  state(): Promise<RealmState>;
  /** Performs the second step of a key recovery. The realm saves the count of guesses on disk before it responds. */
  guess(version: string, blindedElement: Uint8Array): Promise<GuessAnswer>;
  /**
   * Performs the third step of a key recovery. The correct tag resets the count of guesses. If no guess remains, a
   * wrong tag makes the realm destroy its share.
   */
  unlock(version: string, unlockTag: Uint8Array): Promise<UnlockAnswer>;
  /**
   * Stores a record for an actor without one, or replaces the record with version `replaces`. Throws `conflict` if the
   * realm has another record. Idempotent.
   */
  register(record: RealmRecord, replaces: string | null): Promise<void>;
}

/** The three key realms of a platform, ordered by number. A key recovery needs any two of them. */
export type PlatformRealms = readonly PlatformRealm[];
