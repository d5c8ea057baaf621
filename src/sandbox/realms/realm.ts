import { timingSafeEqual } from 'node:crypto';
import type { RealmRecord } from '../../messaging/encryption/recovery/enroll.ts';
import { oprf } from '../../messaging/encryption/recovery/oprf.ts';
import { badRequest } from '../http/problem.ts';
import { ALLOWED_GUESSES, type Kept, type RealmStore } from './realm-store.ts';

/** After the last guess, as long as whoever made it may take to come back with the right tag. */
const LAST_CHANCE_MS = 30_000;

export type StoredRealm =
  | { readonly kind: 'enrolled'; readonly version: string }
  | { readonly kind: 'none' | 'locked' };
export type Evaluated =
  | {
      readonly kind: 'evaluated';
      readonly element: Uint8Array;
      readonly commitment: Uint8Array;
      readonly remaining: number;
    }
  | { readonly kind: 'locked' | 'stale' };
export type Unlocked =
  | { readonly kind: 'unlocked'; readonly record: RealmRecord }
  | { readonly kind: 'refused' | 'locked' | 'stale' };

/** One key realm: what it does for an account that its store has or lacks. */
export class Realm {
  readonly #store: RealmStore;

  constructor(store: RealmStore) {
    this.#store = store;
  }

  state(account: string, now: number): StoredRealm {
    const kept = this.#store.find(account);
    if (kept === undefined) return { kind: 'none' };
    if (kept.record !== null && kept.guesses < ALLOWED_GUESSES) return { kind: 'enrolled', version: kept.version };
    if (now - kept.guessedAt > LAST_CHANCE_MS) this.#store.destroy(account);
    return { kind: 'locked' };
  }

  /** The guess is counted, on disk, before anything is made of it. */
  evaluate(account: string, version: string, blinded: Uint8Array, now: number): Evaluated {
    const counted = this.#store.countGuess(account, version, now);
    const kept = this.#store.find(account);
    if (kept === undefined || kept.version !== version) return { kind: 'stale' };
    if (!counted || kept.record === null) {
      this.#store.destroy(account);
      return { kind: 'locked' };
    }
    const { oprfKeyShare, commitment } = kept.record;
    const element = evaluated(oprfKeyShare, blinded);
    return { kind: 'evaluated', element, commitment, remaining: ALLOWED_GUESSES - kept.guesses };
  }

  unlock(account: string, version: string, tag: Uint8Array): Unlocked {
    const kept = this.#store.find(account);
    if (kept === undefined || kept.version !== version) return { kind: 'stale' };
    if (kept.record === null) return { kind: 'locked' };
    if (!isTag(kept.record, tag)) return this.#refuse(account, kept);
    this.#store.forgetGuesses(account, version);
    return { kind: 'unlocked', record: kept.record };
  }

  /** False where the account has another record than the one to be replaced. */
  register(account: string, record: RealmRecord, replaces: string | null): boolean {
    return this.#store.put(account, record, replaces);
  }

  /** Tags cannot be guessed, so a wrong one is no guess of its own; with no guess left it was the last chance. */
  #refuse(account: string, kept: Kept): Unlocked {
    if (kept.guesses < ALLOWED_GUESSES) return { kind: 'refused' };
    this.#store.destroy(account);
    return { kind: 'locked' };
  }
}

function evaluated(share: Uint8Array, blinded: Uint8Array): Uint8Array {
  try {
    return oprf.evaluate(share, blinded);
  } catch {
    throw badRequest('blinded_element', 'blinded_element must be an element of ristretto255 other than its identity');
  }
}

function isTag(record: RealmRecord, tag: Uint8Array): boolean {
  return tag.length === record.unlockTag.length && timingSafeEqual(tag, record.unlockTag);
}
