/** A request with an Idempotency-Key that is about to be performed. */
export interface ClaimRequest {
  account: string;
  key: string;
  /** Random: tells this claim from another of the same request. */
  owner: string;
  /** The request's fingerprint under each secret key that there is. The first is kept; a later claim may match by any. */
  fingerprints: readonly string[];
}

export type ClaimOutcome =
  /** The key is this owner's until `claimTtlMs` without a renewal have passed. */
  | {
      status: 'claimed';
      /** When this request was claimed first, by the store's clock. */
      since: number;
      /** The fingerprint that is kept. */
      fingerprint: string;
      /** True where an earlier claim of the same request ended, or ran out, without an answer. */
      again: boolean;
    }
  /** Another owner has it. */
  | { status: 'running' }
  /** The key was claimed by another request. */
  | { status: 'mismatch' }
  | { status: 'answered'; answer: string };

/** Claims of Idempotency-Keys, each kept for 24 h from its first moment (`idempotencyTtlMs`) and then forgotten. */
export interface IdempotencyStore {
  claim(claim: ClaimRequest): Promise<ClaimOutcome>;
  /** Keeps a claim alive. False where the key is no longer this owner's. */
  renew(claim: ClaimReference): Promise<boolean>;
  /**
   * Ends a claim without an answer. `unknown` leaves the request under the key, for the next claim to go on;
   * `forgotten` frees the key. Nothing happens where the key is not this owner's, or has an answer.
   */
  end(claim: ClaimReference, how: 'unknown' | 'forgotten'): Promise<void>;
  /** Keeps an answer for which nothing is charged. One that is there already stays. */
  answer(claim: ClaimReference, answer: string): Promise<void>;
}

export type ClaimReference = Pick<ClaimRequest, 'account' | 'key' | 'owner'>;

/** How long a claim of an Idempotency-Key lasts without a renewal. */
export const claimTtlMs = 20_000;
/** How long a key and its answer are kept. */
export const idempotencyTtlMs = 24 * 3_600_000;
