/**
 * The record that one key realm stores for an account. It contains one share of the secret that decrypts the account's chat keys. There are
 * three realms, each with its own store. Any two shares are sufficient, and one share alone reveals nothing
 * (src/messaging/encryption/recovery).
 */
export interface RealmRecord {
  /** The id of the enrolment as 32 hex digits. It is the same in all three realms. */
  readonly version: string;
  /** This realm's share of the key that evaluates the PIN, a scalar of ristretto255. */
  readonly oprfKeyShare: Uint8Array;
  /** Derived from the correct PIN only, so that the client can detect a wrong PIN before it asks the realms for the second step. */
  readonly commitment: Uint8Array;
  /** The tag that the client must send before the realm returns the rest of the record and resets its guess counter. */
  readonly unlockTag: Uint8Array;
  /** This realm's share of the key that encrypts the chat keys. The share is encrypted with the evaluation of the correct PIN. */
  readonly sealedShare: Uint8Array;
  /** The encrypted chat keys. They are the same in all three realms. */
  readonly sealedKeys: Uint8Array;
}

/** The part of the record that a realm returns for the correct unlock tag. */
export type UnlockedRecord = Pick<RealmRecord, 'sealedShare' | 'sealedKeys'>;
