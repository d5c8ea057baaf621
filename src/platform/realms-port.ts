import type { RealmRecord, UnlockedRecord } from '../shared/model/realm.ts';

/** `locked`: all guesses were used up, and the realm's share is destroyed. */
export type RealmState =
  | { readonly kind: 'enrolled'; readonly accountId: string; readonly version: string }
  | { readonly kind: 'none' | 'locked'; readonly accountId: string };

/** `stale`: the realm has no record of that version (any more). */
export type GuessAnswer =
  | {
      readonly kind: 'evaluated';
      readonly evaluated: Uint8Array;
      readonly commitment: Uint8Array;
      /** After this one. */
      readonly guessesRemaining: number;
    }
  | { readonly kind: 'locked' | 'stale' };

export type UnlockAnswer =
  | ({ readonly kind: 'unlocked' } & UnlockedRecord)
  | { readonly kind: 'refused' | 'locked' | 'stale' };

/** One of the key realms, as the actor of a session. None of its calls is aborted once sent, nor sent twice. */
export interface PlatformRealm {
  /** Its place among them, from 1; the unlock tag is for it alone. */
  readonly place: number;
  /** The first step of a recovery. It costs no guess. */
  state(): Promise<RealmState>;
  /** The second: the count of guesses is raised and stored before the realm answers. */
  guess(version: string, blindedElement: Uint8Array): Promise<GuessAnswer>;
  /** The third. The right tag sets the count of guesses back to none; a wrong one, when none are left, destroys the share. */
  unlock(version: string, unlockTag: Uint8Array): Promise<UnlockAnswer>;
  /**
   * Puts a record where the realm has none of the actor, or in the place of the one of the version `replaces`. Throws
   * `conflict` where it has another. May be repeated.
   */
  register(record: RealmRecord, replaces: string | null): Promise<void>;
}

/** The key realms of a platform, in the order of their places: three, of which any two suffice. */
export type PlatformRealms = readonly PlatformRealm[];
