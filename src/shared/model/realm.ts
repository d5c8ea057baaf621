/**
 * What one key realm keeps of an account: its share of what opens the account's chat keys. There are three realms, each
 * with a store of its own; any two suffice, and what one has tells nothing (src/messaging/encryption/recovery says why).
 */
export interface RealmRecord {
  /** The same in all three realms; another one with each enrolment. 32 hex digits. */
  readonly version: string;
  /** Of the key that the PIN is evaluated under: a scalar of ristretto255. */
  readonly oprfKeyShare: Uint8Array;
  /** Known to whoever evaluated the right PIN, so that a wrong one is noticed without a further question. */
  readonly commitment: Uint8Array;
  /** What the realm wants to see before it hands out the rest, and resets its count of guesses. */
  readonly unlockTag: Uint8Array;
  /** The realm's share of the key that seals the chat keys, sealed under what the right PIN evaluates to. */
  readonly sealedShare: Uint8Array;
  /** The chat keys. The same in all three realms. */
  readonly sealedKeys: Uint8Array;
}

/** What a realm hands out for the right unlock tag. */
export type UnlockedRecord = Pick<RealmRecord, 'sealedShare' | 'sealedKeys'>;
