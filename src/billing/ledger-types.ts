import type { Micros } from '../shared/model/money.ts';
import { holdTtlMs, type KeyBudget } from '../store/port.ts';

/**
 * Credit for running calls. `Ledger.reserve` or `Ledger.deferCharge` creates it, and it must be passed to `Ledger.settle` exactly once.
 */
export interface Reservation {
  readonly account: string;
  readonly micros: Micros;
  /** The budget of the API key that makes the calls. `null` if the key has no budget. */
  readonly budget: KeyBudget | null;
  /** The generation of the hold that contains the credit. */
  readonly generation: number;
  /** True if the credit is not part of a hold. The calls are then charged after they have succeeded, if the credit still covers them. */
  readonly isDeferred: boolean;
  settled: boolean;
}

/** A successful call to charge. */
export interface Charge {
  /** The name of the action, such as `tweet/create`. */
  action: string;
  micros: Micros;
  /** The estimated price of the call at the platform. Default: 0. */
  platformMicros?: Micros;
}

/** The values of the headers `x-credits-charged` and `x-credits-remaining`. */
export interface Settled {
  charged: Micros;
  /** The account's credit after this settlement, including reserved credit. Each later settlement has a lower value. */
  remaining: Micros;
}

/** Times of the ledger in milliseconds. Tests may shorten them. */
export interface LedgerTimes {
  /** A caller that has waited this long for the store is refused with 503, or continues if it only waits for released credit. */
  callerMs: number;
  /** The same limit for callers that wait for credit after the store has failed. It gives a short failure time to pass. */
  failingMs: number;
  /** A hold with running calls is renewed if it had no commit for this long. */
  renewMs: number;
  /** The first pause before a commit is sent again. Each pause is twice the previous one, up to `retryLastMs`. */
  retryFirstMs: number;
  retryLastMs: number;
  /** The maximum time that `close` waits for the store. */
  closeMs: number;
}

export const ledgerTimes: LedgerTimes = {
  callerMs: 5_000,
  failingMs: 1_000,
  renewMs: holdTtlMs / 4,
  retryFirstMs: 50,
  retryLastMs: 1_000,
  closeMs: 5_000,
};

/** One attempt to send a commit to the store. */
export interface CommitInfo {
  account: string;
  /**
   * A `failed` attempt is repeated. `abandoned` means that the store was unreachable for so long that it no longer knows whether the commit
   * was applied (`expired`). Charges of an abandoned commit may be lost, so it is logged at level error.
   */
  outcome: 'applied' | 'swept' | 'no_account' | 'failed' | 'abandoned';
  /** The number of the attempt, beginning with 1. */
  attempt: number;
  /** The duration of this attempt in milliseconds. */
  durationMs: number;
  reserved: number;
  settled: number;
  /** The number of calls that this commit charged; 0 unless it was applied. */
  charged: number;
  /** The sum of these charges. */
  chargedMicros: Micros;
  /** The number of charges that were settled late, because their hold was swept. */
  late: number;
  /** The error of the store if the outcome is `failed`, or its last error if the outcome is `abandoned`. */
  error?: unknown;
}
