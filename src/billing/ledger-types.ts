import type { Micros } from '../shared/model/money.ts';
import { holdTtlMs } from '../store/port.ts';

/** Credit reserved for calls in flight. `Ledger.reserve` makes it; it must be passed to `Ledger.settle` once. */
export interface Reservation {
  readonly account: string;
  readonly micros: Micros;
  /** The generation of the hold that granted it. */
  readonly generation: number;
  settled: boolean;
}

/** One call that succeeded. */
export interface Charge {
  /** The name of the action, such as `tweet/create`. */
  action: string;
  micros: Micros;
}

/** For the headers `x-credits-charged` and `x-credits-remaining`. */
export interface Settled {
  charged: Micros;
  /** The account's credit, reserved credit included. Each later settlement has a lower value, never the same. */
  remaining: Micros;
}

/** Times of the ledger, in milliseconds. Tests may shorten them. */
export interface LedgerTimes {
  /** A caller that has waited this long for the store is refused with 503. */
  callerMs: number;
  /** The same for callers that wait for credit, once the store has failed. A short fault of the store may pass in this time. */
  failingMs: number;
  /** A hold with calls in flight is renewed if it had no commit for this long. */
  renewMs: number;
  /** The first pause before a commit is sent again. Each pause is twice the one before, up to `retryLastMs`. */
  retryFirstMs: number;
  retryLastMs: number;
  /** How long `close` waits for the store. */
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

/** One attempt to bring a commit to the store. */
export interface CommitInfo {
  account: string;
  /**
   * A `failed` attempt is repeated. `abandoned`: the store could not be reached for so long that it no longer knows whether the
   * commit was applied (`expired`). Its charges may be lost, so it is logged at level error.
   */
  outcome: 'applied' | 'swept' | 'no_account' | 'failed' | 'abandoned';
  /** Counts from 1. */
  attempt: number;
  /** The duration of this attempt. */
  durationMs: number;
  reserved: number;
  settled: number;
  /** Charges settled late, because their hold had been swept. */
  late: number;
  /** The error of the store if the outcome is `failed`; its last error if the outcome is `abandoned`. */
  error?: unknown;
}
