import type { Micros } from '../shared/model/money.ts';
import { holdTtlMs } from '../store/port.ts';

/** Credit put aside for calls in flight. Opaque: made by `Ledger.reserve`, handed back to `Ledger.settle` once. */
export interface Reservation {
  readonly account: string;
  readonly micros: Micros;
  /** The life of the hold that it was granted under. */
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
  /** Of the account, what is reserved counted as still there: lower, and never the same, for each call settled later. */
  remaining: Micros;
}

/** Waits of the ledger, in milliseconds; tests may shorten them. */
export interface LedgerTimes {
  /** How long a caller waits for the store before it is told 503. */
  callerMs: number;
  /** The same for who waits for credit, once the store has failed: a hiccup of the store may pass in this time. */
  failingMs: number;
  /** A hold with calls in flight is renewed when it had no commit for so long. */
  renewMs: number;
  /** The pause before a commit is sent again: the first, doubled each time up to the last. */
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
   * `failed` is tried again. `abandoned` was away for so long that nobody knows whether it was applied (the store says
   * `expired`), so that its charges may be lost: worth a line in the log at level error.
   */
  outcome: 'applied' | 'swept' | 'no_account' | 'failed' | 'abandoned';
  /** From 1. */
  attempt: number;
  /** Of this attempt. */
  durationMs: number;
  reserved: number;
  settled: number;
  /** Charges settled late, since their hold had been swept. */
  late: number;
  /** What the store threw, where the outcome is `failed`; what it threw last, where it is `abandoned`. */
  error?: unknown;
}
