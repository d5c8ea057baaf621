import { timingSafeEqual } from 'node:crypto';
import type { RealmRecord } from '../../messaging/encryption/recovery/enroll.ts';
import { oprf } from '../../messaging/encryption/recovery/oprf.ts';
import { badRequest } from '../refusal.ts';
import { ALLOWED_GUESSES, type RealmStore, type StoredRecord } from './realm-store.ts';

/** After the last allowed guess, the client has this time to present the unlock tag before the record is destroyed. */
const LAST_CHANCE_MS = 30_000;

export type StoredRealmState =
  | { readonly kind: 'enrolled'; readonly version: string }
  | { readonly kind: 'none' | 'locked' };
export type EvaluationResult =
  | {
      readonly kind: 'evaluated';
      readonly element: Uint8Array;
      readonly commitment: Uint8Array;
      readonly remaining: number;
    }
  | { readonly kind: 'locked' | 'stale' };
export type UnlockResult =
  | { readonly kind: 'unlocked'; readonly record: RealmRecord }
  | { readonly kind: 'refused' | 'locked' | 'stale' };

/** One key realm: holds a secret share for each account and limits guesses of the encryption code. */
export class Realm {
  readonly #store: RealmStore;

  constructor(store: RealmStore) {
    this.#store = store;
  }

  state(account: string, now: number): StoredRealmState {
    const kept = this.#store.find(account);
    if (kept === undefined) return { kind: 'none' };
    if (kept.record !== null && kept.guesses < ALLOWED_GUESSES) return { kind: 'enrolled', version: kept.version };
    if (now - kept.guessedAt > LAST_CHANCE_MS) this.#store.destroy(account);
    return { kind: 'locked' };
  }

  /** Evaluates a blinded guess. The guess is counted on disk before it is evaluated. */
  evaluate(account: string, version: string, blinded: Uint8Array, now: number): EvaluationResult {
    const counted = this.#store.countGuess(account, version, now);
    const kept = this.#store.find(account);
    if (kept === undefined || kept.version !== version) return { kind: 'stale' };
    if (!counted || kept.record === null) {
      this.#store.destroy(account);
      return { kind: 'locked' };
    }
    const { oprfKeyShare, commitment } = kept.record;
    const element = evaluateBlinded(oprfKeyShare, blinded);
    return { kind: 'evaluated', element, commitment, remaining: ALLOWED_GUESSES - kept.guesses };
  }

  unlock(account: string, version: string, tag: Uint8Array): UnlockResult {
    const kept = this.#store.find(account);
    if (kept === undefined || kept.version !== version) return { kind: 'stale' };
    if (kept.record === null) return { kind: 'locked' };
    if (!isTag(kept.record, tag)) return this.#refuse(account, kept);
    this.#store.forgetGuesses(account, version);
    return { kind: 'unlocked', record: kept.record };
  }

  /** Stores a record. Returns false if the account has a record whose version is not `replaces`. */
  register(account: string, record: RealmRecord, replaces: string | null): boolean {
    return this.#store.put(account, record, replaces);
  }

  /**
   * Refuses a wrong unlock tag. A tag is too long to be guessed, so a wrong tag does not count as a guess. If no
   * guesses remain, the record is destroyed.
   */
  #refuse(account: string, kept: StoredRecord): UnlockResult {
    if (kept.guesses < ALLOWED_GUESSES) return { kind: 'refused' };
    this.#store.destroy(account);
    return { kind: 'locked' };
  }
}

function evaluateBlinded(share: Uint8Array, blinded: Uint8Array): Uint8Array {
  try {
    return oprf.evaluate(share, blinded);
  } catch {
    throw badRequest('blinded_element', 'blinded_element must be an element of ristretto255 other than its identity');
  }
}

function isTag(record: RealmRecord, tag: Uint8Array): boolean {
  return tag.length === record.unlockTag.length && timingSafeEqual(tag, record.unlockTag);
}
