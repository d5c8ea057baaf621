/** A request with an Idempotency-Key that is about to be performed. */
export interface ClaimRequest {
  account: string;
  key: string;
  /** A random id that distinguishes this claim from other claims of the same request. */
  owner: string;
  /**
   * The fingerprint of the request under each secret key. The first one is stored. A later claim of the same request may match any of them.
   */
  fingerprints: readonly string[];
}

export type ClaimOutcome =
  /** This owner holds the key until `claimTtlMs` pass without a renewal. */
  | {
      status: 'claimed';
      /** The time of the first claim of this request by the store's clock. */
      since: number;
      /** The stored fingerprint. */
      fingerprint: string;
      /** True if an earlier claim of the same request ended or expired without a response. */
      again: boolean;
    }
  /** Another owner holds the key. */
  | { status: 'running' }
  /** No fingerprint matches. `answer` is the stored response, or `null` if there is none yet. */
  | { status: 'mismatch'; answer: string | null }
  | { status: 'answered'; answer: string };

/** Stores claims of Idempotency-Keys. A claim is deleted 24 h after the first claim of its key (`idempotencyTtlMs`). */
export interface IdempotencyStore {
  claim(claim: ClaimRequest): Promise<ClaimOutcome>;
  /** Renews a claim. Returns false if the owner no longer holds the key. */
  renew(claim: ClaimReference): Promise<boolean>;
  /**
   * Ends a claim without a response. `unknown` keeps the request under the key, so that it can be claimed again. `forgotten` frees the key.
   * Does nothing if the owner does not hold the key or the key has a response.
   */
  end(claim: ClaimReference, how: 'unknown' | 'forgotten'): Promise<void>;
  /** Stores a response that is not charged. A stored response is never replaced. */
  answer(claim: ClaimReference, answer: string): Promise<void>;
  /** Counts a repetition of a request that has a response. Returns the number of its repetitions so far, including this one. */
  repeat(account: string, key: string): Promise<number>;
}

export type ClaimReference = Pick<ClaimRequest, 'account' | 'key' | 'owner'>;

/** The time in milliseconds after which a claim of an Idempotency-Key expires without a renewal. */
export const claimTtlMs = 20_000;
/** The time in milliseconds for which a key and its response are stored. */
export const idempotencyTtlMs = 24 * 3_600_000;
