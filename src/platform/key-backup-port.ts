import type { PosternError } from '../shared/errors/postern-error.ts';
import type { RegisteredChatKeys } from '../shared/model/sealed-event.ts';
import type { Secret } from '../shared/secrets/secret.ts';

/** The public keys that a client publishes. */
export type NewChatKeys = Omit<RegisteredChatKeys, 'userId' | 'publicKeyVersion'>;

/** Fewer key realms responded than are needed. `errors` has one error for each realm that failed. */
export interface RealmsAway {
  readonly kind: 'realms_away';
  readonly errors: readonly PosternError[];
}

export type RecoveryOutcome =
  /** The caller overwrites `privateKeys` after use. */
  | { readonly kind: 'recovered'; readonly privateKeys: Uint8Array }
  /** As many realms as a recovery needs say so. No guesses remain if `guessesRemaining` is 0: the keys are lost. */
  | { readonly kind: 'wrong_code'; readonly guessesRemaining: number }
  /** The account has no private keys in its backup. */
  | { readonly kind: 'not_registered' }
  | RealmsAway;

/**
 * The published chat keys of the actor, and access to the private ones at the key realms. Its tokens are valid for some
 * minutes.
 */
export interface KeyBackup {
  /** The published keys, oldest first. Empty if the account has no chat keys. */
  readonly published: readonly Pick<NewChatKeys, 'publicKey' | 'signingPublicKey'>[];
  /**
   * Recovers the private keys. Costs one guess, which a right code gives back. A request to a realm is neither repeated
   * nor aborted after it was sent.
   */
  recover(code: Secret): Promise<RecoveryOutcome>;
  /** Stores the private keys, in place of any others. All realms are needed. */
  register(code: Secret, privateKeys: Uint8Array): Promise<{ readonly kind: 'registered' } | RealmsAway>;
  /** Resolves when no request of this backup is running any more. Some continue after their outcome is known. */
  settled(): Promise<unknown>;
}

/** The backup of the actor's chat keys at the key realms of the platform. */
export interface PlatformKeyBackup {
  /** Returns the id of the actor, from a cache if possible. */
  accountId(): Promise<string>;
  /** Reads the published keys. Costs no guess. */
  open(): Promise<KeyBackup>;
  /**
   * Publishes the actor's public keys. Throws `conflict` if the account has others, unless `isReplacing` is true.
   * Publishing the same keys again succeeds.
   */
  publish(keys: NewChatKeys, isReplacing: boolean): Promise<KeyBackup>;
}
