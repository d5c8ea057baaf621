import type { Micros } from '../shared/model/money.ts';

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
  /** As SPEC.md spells it, such as `tweet/create`. */
  action: string;
  micros: Micros;
}

/** For the headers `x-credits-charged` and `x-credits-remaining`. */
export interface Settled {
  charged: Micros;
  /** Of the account, what is reserved counted as still there: lower, and never the same, for each call settled later. */
  remaining: Micros;
}
