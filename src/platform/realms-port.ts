import type { RealmRecord, UnlockedRecord } from '../shared/model/realm.ts';

/** The enrolment of an account at a realm. `locked`: all guesses are used up, and the realm's share is destroyed. */
export type RealmState =
  | { readonly kind: 'enrolled'; readonly accountId: string; readonly version: string }
  | { readonly kind: 'none' | 'locked'; readonly accountId: string };

/** The response to a guess. `stale`: the realm has no record of that version. */
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

/** One of the key realms, for the actor of a session. A call is never aborted after it was sent, and never sent twice. */
export interface PlatformRealm {
  /** The number of the realm, from 1. Each realm has its own unlock tag. */
  readonly place: number;
  /** Performs the first step of a recovery, which costs no guess. */
  state(): Promise<RealmState>;
  /** Performs the second step. The realm counts the guess on disk before it responds. */
  guess(version: string, blindedElement: Uint8Array): Promise<GuessAnswer>;
  /** Performs the third step. The correct tag resets the count of guesses. A wrong tag destroys the share if no guess remains. */
  unlock(version: string, unlockTag: Uint8Array): Promise<UnlockAnswer>;
  /**
   * Stores a record for an actor who has none, or replaces the record of the version `replaces`. Throws `conflict` if the
   * realm has another record. Idempotent.
   */
  register(record: RealmRecord, replaces: string | null): Promise<void>;
}

/** The three key realms of a platform by number. Any two of them are enough for a recovery. */
export type PlatformRealms = readonly PlatformRealm[];
