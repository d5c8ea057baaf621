import type { Micros } from '../shared/model/money.ts';

export interface Balance {
  /** Everything ever paid in. */
  paid: Micros;
  /** Everything ever charged for calls that succeeded. */
  charged: Micros;
  /** What can be reserved now. */
  avail: Micros;
  /** What calls in flight have reserved. `paid = avail + held + charged` at every moment. */
  held: Micros;
}

/** Calls of one action that succeeded within one hour. */
export interface UsageLine {
  /** Hours since the Unix epoch. */
  hour: number;
  /** The action's name, such as `tweet/create`. */
  action: string;
  calls: number;
  micros: Micros;
}

/** The answer of a request with an Idempotency-Key, kept in the same commit as its charge. */
export interface SavedAnswer {
  /** One that was claimed (`IdempotencyStore`). */
  key: string;
  /** Opaque to the store. */
  answer: string;
}

/** What one request is charged at its end. */
export interface Settlement {
  usage: UsageLine[];
  /** Where its key has an answer already, nothing is charged: whoever comes second performed what was paid before. */
  answer?: SavedAnswer;
}

/** `short`: the credit had gone. `answered`: the answer of its key was there already. Neither is charged. */
export type SettlementOutcome = 'charged' | 'short' | 'answered';

/**
 * All that one process wants changed of one account's credit at once (group commit). Its parts apply in this order:
 * `release`, `settle`, `late`, `reserve`.
 */
export interface LedgerCommit {
  /** Random. The same id is the same commit, always with the same content: applied once, however often it is sent. */
  id: string;
  /** When the writer made it, by the writer's clock. Sent again, a commit keeps it. */
  createdAt: number;
  account: string;
  /** The process. */
  writer: string;
  /**
   * The life of the writer's hold that this commit belongs to; a hold is known by account, writer and generation. It
   * ends when nothing is open in it, or when a sweeper gave it back; the writer then goes on under a generation that it
   * never used before.
   */
  generation: number;
  /** True where the hold begins with this commit; false where it must exist, else nothing is applied (`swept`). */
  begins: boolean;
  /** Reserved credit to give back, out of the hold: what failed, and what a reservation held beyond its charge. */
  release: Micros;
  /** Charges paid out of the hold; what one of them is not charged goes back like a release. */
  settle: Settlement[];
  /** Charges of calls whose hold was swept: each is reserved and settled at once, where `avail` allows. */
  late: Settlement[];
  /** Amounts to reserve, in order of arrival; each one that fits in what is left is granted. */
  reserve: Micros[];
}

export type CommitOutcome =
  | {
      status: 'applied';
      /** One flag for each of `reserve`. */
      granted: boolean[];
      /** One for each of `settle`, never `short`. */
      settled: SettlementOutcome[];
      /** One for each of `late`. */
      late: SettlementOutcome[];
      /** `paid − charged` after this commit. */
      left: Micros;
    }
  /** The hold is gone; nothing was applied. Final for this commit id as long as the generation is not begun again. */
  | { status: 'swept' }
  /**
   * Made more than `commitLifeMs` ago and not known. It was applied and is forgotten since, or it never was; from now on
   * it never will be.
   */
  | { status: 'expired' }
  | { status: 'no_account' };

export interface TopUp {
  /** The payment's id. Unique: one that exists is left as it is. */
  id: string;
  account: string;
  micros: Micros;
  description: string;
  createdAt: number;
}

export type TopUpOutcome = 'applied' | 'already_applied' | 'no_account';

/** Where a page of payments ended. */
export interface PaymentMark {
  createdAt: number;
  id: string;
}

export interface LedgerStore {
  /**
   * Applies a commit in one transaction, serialised with every other change of the account:
   * `avail += release`, each granted reservation and late charge `avail -= it`, `hold.open += granted − release − settled`,
   * `charged += settled + late`, usage added, answers saved with their keys (which need not have been claimed), the outcome kept under the commit's id for an hour.
   * A commit id that was applied before answers its first outcome and changes nothing; any other that was made more
   * than `commitLifeMs` ago is `expired`, so that one which was applied and forgotten is not applied again, however late
   * it arrives. A commit of a hold that is not there (or that `begins` one that is) is `swept`. The hold's `until` becomes 20 s from now by the store's clock; a hold with nothing open is removed.
   * Never leaves `avail` below zero. A commit that takes more out of its hold than it has, or whose amounts are not
   * whole, throws and changes nothing.
   */
  commit(commit: LedgerCommit): Promise<CommitOutcome>;
  /** Adds a payment: `paid += micros`, `avail += micros`, once for each id. */
  topUp(topUp: TopUp): Promise<TopUpOutcome>;
  /**
   * Gives back what holds past their `until` (store's clock) have open: `avail += open`, the hold removed, each
   * exactly once whoever sweeps. Also drops commit outcomes older than an hour. Answers how many holds it ended.
   */
  sweep(): Promise<number>;
  balance(account: string): Promise<Balance | null>;
  /** Usage with `fromHour <= hour < toHour`, by hour, then action. */
  usage(account: string, fromHour: number, toHour: number): Promise<UsageLine[]>;
  /** Newest first, ties by id descending; strictly after `after` in that order; at most `limit`. */
  payments(account: string, limit: number, after?: PaymentMark): Promise<TopUp[]>;
}

/** How long a hold lives without a commit of its writer. */
export const holdTtlMs = 20_000;
/** How long a commit's outcome is kept for a writer that missed the acknowledgement. */
export const commitTtlMs = 3_600_000;
/**
 * How old a commit may be when it is applied. The rest of `commitTtlMs` is what the clocks of writers and store may
 * differ by.
 */
export const commitLifeMs = commitTtlMs / 2;
