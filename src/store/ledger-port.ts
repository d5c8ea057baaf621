import type { Micros } from '../shared/model/money.ts';
import type { AuditEntry } from './audit-port.ts';

export interface Balance {
  /** The total of all payments. */
  paid: Micros;
  /** The total of all charges for successful calls. */
  charged: Micros;
  /** The credit that can be reserved now. */
  avail: Micros;
  /** The credit that running calls have reserved. `paid = avail + held + charged` holds at all times. */
  held: Micros;
}

/** The successful calls of one action within one hour. */
export interface UsageLine {
  /** The hour in hours since the Unix epoch. */
  hour: number;
  /** The name of the action, such as `tweet/create`. */
  action: string;
  calls: number;
  micros: Micros;
  /** The estimated price of the calls at the platform. Default: 0; `usage` always returns it. */
  platformMicros?: Micros;
}

/** The response of a request with an Idempotency-Key. It is stored in the same commit as the charge. */
export interface ChargedResponse {
  /** A key that was claimed with `IdempotencyStore`. */
  key: string;
  /** The response in a form that the store does not interpret. */
  answer: string;
  /** Set if the response counts towards the size of the account's kept responses. */
  limit?: KeptLimit;
}

/**
 * If a response would increase the counted size of the account's kept responses beyond `bytes`, `brief` is stored instead, which does not
 * count. A response counts by its length in characters, for 24 h to 25 h.
 */
export interface KeptLimit {
  bytes: number;
  brief: string;
}

/** The charges of one request. */
export interface Settlement {
  usage: UsageLine[];
  /** If the key already has a response, nothing is charged, because the request was paid together with that response. */
  answer?: ChargedResponse;
}

/**
 * The outcome of a settlement. `short` means that the credit was spent in the meantime. `over_budget` means that the charge would exceed the
 * budget of the commit. `answered` means that the key already had a response. None of these is charged.
 */
export type SettlementOutcome = 'charged' | 'short' | 'over_budget' | 'answered';

/** The amount that may be charged for calls of one API key in a UTC day. */
export interface KeyBudget {
  /** The id of the API key. */
  key: string;
  microsPerDay: Micros;
}

/**
 * All changes of one account's credit that one process makes at once (group commit). They are applied in this order: `release`, `settle`,
 * `late`, `reserve`.
 */
export interface LedgerCommit {
  /**
   * A unique id. A commit that is sent again has the same id and is applied only once. Its content is the same, except that charges in `late`
   * may have become empty.
   */
  id: string;
  /** The time at which the writer created the commit, by the writer's clock. It does not change if the commit is sent again. */
  createdAt: number;
  account: string;
  /** The id of the process that sends the commit. */
  writer: string;
  /**
   * The generation of the writer's hold. Account, writer and generation identify a hold. A hold ends when it has no open credit, or when a
   * sweep returns its credit. The writer then continues with a new generation.
   */
  generation: number;
  /** True if this commit begins the hold. If it is false and the hold does not exist, nothing is applied and the outcome is `swept`. */
  begins: boolean;
  /** Credit of the hold to return to the account: reservations of failed calls, and unused parts of other reservations. */
  release: Micros;
  /** Charges to be paid from the hold. Credit for a charge that is not made is released. */
  settle: Settlement[];
  /** Charges of calls whose hold was swept. Each is reserved and settled at once if `avail` is sufficient. */
  late: Settlement[];
  /** Amounts to reserve in order of arrival. An amount is granted if the remaining credit, and the budget if there is one, is sufficient. */
  reserve: Micros[];
  /** The budget of the API key that all calls of this commit belong to. Its hold contains credit of this key only. */
  budget?: KeyBudget;
}

export type CommitOutcome =
  | {
      status: 'applied';
      /** One entry for each amount in `reserve`: whether it was granted, or that the budget did not suffice. */
      granted: (boolean | 'over_budget')[];
      /** One outcome for each item of `settle`, `charged` or `answered`. */
      settled: SettlementOutcome[];
      /** One outcome for each item of `late`. */
      late: SettlementOutcome[];
      /** `paid − charged` after this commit. */
      left: Micros;
    }
  /**
   * The hold no longer exists and nothing was applied. Sending the commit again gives the same outcome unless the generation begins again.
   */
  | { status: 'swept' }
  /**
   * The commit was created more than `commitLifeMs` ago and its id is not stored. It is unknown whether it was applied, but it will not be
   * applied from now on.
   */
  | { status: 'expired' }
  | { status: 'no_account' };

export interface TopUp {
  /** The id of the payment. A payment with an existing id changes nothing. */
  id: string;
  account: string;
  micros: Micros;
  description: string;
  createdAt: number;
}

export type TopUpOutcome = 'applied' | 'already_applied' | 'no_account';

/** The last payment of a page. */
export interface PaymentMark {
  createdAt: number;
  id: string;
}

export interface LedgerStore {
  /**
   * Applies a commit in one transaction that is serialised with all other changes of the account:
   * - `avail += release`; `avail -= amount` for each granted reservation and late charge
   * - `hold.open += granted − release − settled`; `charged += settled + late`
   * - usage is added, and responses, or their texts within `KeptLimit`, are stored under their keys, even if these were not claimed
   * - the outcome is stored under the commit's id for an hour
   *
   * A commit whose id was already applied returns its first outcome and changes nothing. Any other commit that was created more than
   * `commitLifeMs` ago is `expired`, so that a commit whose outcome was deleted is never applied twice. A commit is `swept` if its hold
   * does not exist, or if it `begins` a hold that exists. The hold's `until` becomes 20 s from now by the store's clock, and a hold without
   * open credit is deleted. `avail` never becomes negative. Throws, and changes nothing, if the commit takes more from its hold than the
   * hold contains, or if an amount is not an integer.
   *
   * In a commit with a budget, a reservation or a late charge must also fit into what the budget has left: the charges of its key in the
   * present UTC day, by the store's clock, and the open credit of all holds of the key together never exceed `microsPerDay`.
   */
  commit(commit: LedgerCommit): Promise<CommitOutcome>;
  /** Adds a payment, once for each id: `paid += micros`, `avail += micros`. */
  topUp(topUp: TopUp, audit?: AuditEntry): Promise<TopUpOutcome>;
  /**
   * Returns the open credit of expired holds to their accounts (`avail += open`) and deletes these holds. A hold expires at its `until` by
   * the store's clock. Each hold is returned once, even if several processes sweep. Also deletes outcomes of commits after an hour, and
   * other data that has expired. Returns the number of expired holds.
   */
  sweep(): Promise<number>;
  balance(account: string): Promise<Balance | null>;
  /** Returns the usage with `fromHour <= hour < toHour`, ordered by hour, then by action. */
  usage(account: string, fromHour: number, toHour: number): Promise<UsageLine[]>;
  /**
   * Returns at most `limit` payments, newest first, then by id in descending order. If `after` is given, the list begins after that
   * payment.
   */
  payments(account: string, limit: number, after?: PaymentMark): Promise<TopUp[]>;
}

/** The time in milliseconds after which a hold expires without a commit of its writer. */
export const holdTtlMs = 20_000;
/** The time in milliseconds for which the outcome of a commit is stored, for a writer that did not receive it. */
export const commitTtlMs = 3_600_000;
/**
 * The maximum age in milliseconds at which a commit is applied. The other half of `commitTtlMs` allows for differences between the clocks
 * of writers and store.
 */
export const commitLifeMs = commitTtlMs / 2;
