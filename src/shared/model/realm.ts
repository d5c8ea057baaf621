/**
 * The record that one key realm stores for an account: its share of the secret that decrypts the account's chat keys. There are
 * three realms, each with its own store. Any two shares suffice, and one share reveals nothing (src/messaging/encryption/recovery).
 */
export interface RealmRecord {
  /** The id of the enrolment, the same in all three realms. 32 hex digits. */
  readonly version: string;
  /** The share of the key that evaluates the PIN, a scalar of ristretto255. */
  readonly oprfKeyShare: Uint8Array;
  /** Derived from the correct PIN only, so the client can detect a wrong PIN before it asks the realms for the second step. */
  readonly commitment: Uint8Array;
  /** The tag that the client must present before the realm returns the rest of the record and resets its count of guesses. */
  readonly unlockTag: Uint8Array;
  /** The realm's share of the key that encrypts the chat keys, encrypted with the evaluation of the correct PIN. */
  readonly sealedShare: Uint8Array;
  /** The encrypted chat keys, the same in all three realms. */
  readonly sealedKeys: Uint8Array;
}

/** The part of the record that a realm returns for the correct unlock tag. */
export type UnlockedRecord = Pick<RealmRecord, 'sealedShare' | 'sealedKeys'>;
