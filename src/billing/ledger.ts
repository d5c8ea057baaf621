import { LRUCache } from 'lru-cache';
import { PosternError } from '../shared/errors/postern-error.ts';
import { formatDollars, type Micros } from '../shared/model/money.ts';
import type { InTrace } from '../shared/observability/tracing.ts';
import { upTo } from '../shared/runtime/lru.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import {
  type ChargedResponse,
  type KeyBudget,
  type LedgerStore,
  orStoreUnavailable,
  type Settlement,
} from '../store/port.ts';
import { AccountBatcher, type AccountBatcherContext } from './account-batcher.ts';
import {
  type Charge,
  type CommitInfo,
  type LedgerTimes,
  ledgerTimes,
  type Reservation,
  type Settled,
} from './ledger-types.ts';

export type { KeyBudget } from '../store/port.ts';
export type { Charge, CommitInfo, LedgerTimes, Reservation, Settled } from './ledger-types.ts';

const knownAccounts = 10_000;

/** The batchers of one account, by the id of the API key with a budget. The batcher of all other keys is `undefined`. */
type AccountBatchers = Map<string | undefined, AccountBatcher>;

export interface LedgerOptions {
  store: LedgerStore;
  runtime: Runtime;
  /** Returns the time of the store's clock (`Store.now`). The default is the clock of this machine. */
  storeNow?: () => number;
  /** Called after every attempt of a commit, for metrics and the log. It must not throw. */
  onCommit?: (info: CommitInfo) => void;
  times?: Partial<LedgerTimes>;
  captureTrace?: (() => InTrace) | undefined;
  /** Returns the number of live processes that share the store. The default is 1. */
  processes?: () => number;
}

/**
 * Manages the credit of accounts in this process: it reserves credit before a call and settles it after the call. Each account with
 * activity has an `AccountBatcher`. The rules are documented in `src/store/port.ts` (`LedgerCommit`), the reasons in
 * docs/decisions.md, Money.
 */
export class Ledger {
  /** The batchers by account. Each key with a budget has its own, because a hold contains the credit of one budget. */
  readonly #batchers = new Map<string, AccountBatchers>();
  readonly #context: AccountBatcherContext;
  /** The credit that each account could spend when this process last read it. */
  readonly #spendable = new LRUCache<string, Micros>(upTo(knownAccounts));
  /** The accounts whose batcher was not quiet when it was discarded (`AccountBatcher.isQuiet`). */
  readonly #busyAccounts = new LRUCache<string, true>(upTo(knownAccounts));
  /** The credit of deferred charges whose outcome is unknown, by account. */
  readonly #deferred = new Map<string, Micros>();
  readonly #processes: () => number;
  /** True if the last attempt to send a commit failed. */
  #storeFailed = false;
  #closed = false;

  constructor(options: LedgerOptions) {
    const { store, runtime, processes = () => 1, onCommit = () => {} } = options;
    this.#processes = processes;
    // One counter for all batchers, because a new batcher of the same account must not repeat a generation.
    let generation = 0;
    this.#context = {
      store,
      runtime,
      writer: runtime.randomBytes(16).toString('hex'),
      storeNow: options.storeNow ?? (() => runtime.now()),
      times: { ...ledgerTimes, ...options.times },
      captureTrace: options.captureTrace,
      onCommit: (info) => {
        this.#storeFailed = info.outcome === 'failed';
        onCommit(info);
      },
      onIdle: (batcher) => {
        const { account, budget } = batcher;
        if (batcher.isQuiet) this.#busyAccounts.delete(account);
        else this.#busyAccounts.set(account, true);
        const ofAccount = this.#batchers.get(account);
        if (ofAccount?.get(budget?.key) === batcher) ofAccount.delete(budget?.key);
        if (ofAccount?.size === 0) this.#batchers.delete(account);
      },
      heldBy: (account) => held(this.#batchers.get(account)?.values() ?? []),
      onCredit: (account, spendable) => this.#spendable.set(account, spendable),
      nextGeneration: () => ++generation,
    };
  }

  /**
   * Returns true if the account's credit covered `micros` when this process last read it. Reads the store only for accounts that this
   * process has not charged or refused recently. The credit may have changed since, so only `reserve` decides.
   */
  async covers(account: string, micros: Micros): Promise<boolean> {
    if (micros === 0) return true;
    let spendable = this.#spendable.get(account);
    if (spendable === undefined) {
      const balance = await orStoreUnavailable(this.#context.store.balance(account), 'the credit cannot be looked up');
      spendable = balance?.avail ?? 0;
      this.#spendable.set(account, spendable);
    }
    return spendable >= micros;
  }

  /**
   * Reserves `micros` for calls that are about to run, of a key with this budget. Every reservation must be settled, even if its calls
   * fail. Throws `insufficient_credits`, `unavailable` (nothing was charged) or `unauthenticated` (the account does not exist).
   */
  async reserve(account: string, micros: Micros, budget: KeyBudget | null = null): Promise<Reservation> {
    if (!Number.isSafeInteger(micros) || micros < 0) throw new RangeError(`not an amount to reserve: ${micros}`);
    if (this.#closed) throw new PosternError('stopping', 'The gateway is stopping. Nothing was charged. Retry shortly');
    if (micros === 0) return { account, micros, budget, generation: 0, isDeferred: false, settled: false };
    return this.#batcher(account, budget).reserve(micros);
  }

  /**
   * Allows calls without side effects to run before they are charged, which saves a commit. `settle` charges the calls afterwards, and
   * throws `insufficient_credits` if the credit no longer covers them. Not for the calls of a key with a budget. Returns `null` if the calls
   * need a reservation. This is the case if the store has failed, or if this process's share of the last known credit does not cover these
   * calls together with all other pending reservations and charges of the account.
   */
  deferCharge(account: string, micros: Micros): Reservation | null {
    const spendable = this.#spendable.get(account);
    if (this.#closed || this.#storeFailed || spendable === undefined) return null;
    const deferred = (this.#deferred.get(account) ?? 0) + micros;
    let awaited = 0;
    for (const batcher of this.#batchers.get(account)?.values() ?? []) {
      if (batcher.isFailing) return null;
      awaited += batcher.awaited;
    }
    if ((deferred + awaited) * this.#processes() > spendable) return null;
    this.#deferred.set(account, deferred);
    return { account, micros, budget: null, generation: 0, isDeferred: true, settled: false };
  }

  /**
   * Charges the calls that succeeded under a reservation and releases the rest. Resolves with `null` without waiting if the charges are 0
   * in total, because free calls are not recorded. Also resolves with `null` if `answer` belongs to an idempotency key that another attempt
   * has already answered and paid for. Otherwise waits for the commit, and throws `unavailable` if its outcome is not known within 5 s. The
   * charge is still recorded once, as soon as the store is available.
   */
  async settle(
    reservation: Reservation,
    charges: readonly Charge[],
    answer?: ChargedResponse,
  ): Promise<Settled | null> {
    if (reservation.settled) throw new Error('the reservation was already settled');
    const micros = charges.reduce((total, charge) => total + charge.micros, 0);
    if (reservation.micros === 0 && micros === 0) return null;
    if (micros > reservation.micros || charges.some((charge) => !(charge.micros >= 0))) {
      this.#release(reservation);
      throw new RangeError(`charges of ${formatDollars(micros)} under ${formatDollars(reservation.micros)} reserved`);
    }
    if (micros === 0) {
      this.#release(reservation);
      return null;
    }
    const settlement = this.#settlement(charges, answer);
    reservation.settled = true;
    if (this.#closed) {
      throw new PosternError('stopping', 'The call was performed, but the gateway stopped before it was charged');
    }
    const batcher = this.#batcher(reservation.account, reservation.budget);
    if (!reservation.isDeferred) return batcher.settle(reservation, micros, settlement);
    try {
      return await batcher.charge(micros, settlement);
    } finally {
      this.#release(reservation);
    }
  }

  /**
   * Waits until the store has recorded all credit of the account that this process has released so far. Refused calls do not wait for that
   * themselves. If the store cannot be written, resolves after 5 s at most, and the store then still holds this credit.
   */
  async returned(account: string): Promise<void> {
    const batchers = [...(this.#batchers.get(account)?.values() ?? [])];
    await Promise.all(batchers.map((batcher) => batcher.returned()));
  }

  /** Returns the credit in the holds of this process over all accounts, as far as it is known. */
  heldHere(): Micros {
    return held(this.#allBatchers());
  }

  /** The number of charges of all accounts that the store has not confirmed. */
  get chargesWaiting(): number {
    return this.#allBatchers().reduce((sum, batcher) => sum + batcher.chargesWaiting, 0);
  }

  /** The number of accounts with activity. */
  get activeAccounts(): number {
    return this.#batchers.size;
  }

  /**
   * Refuses new reservations, records all settlements and returns all reserved credit. Must be called when no call is running. Waits at
   * most `closeMs` for the store; a sweep returns the rest.
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { runtime, times } = this.#context;
    const batchers = this.#allBatchers();
    const drained = Promise.all(batchers.map((batcher) => batcher.drain()));
    await new Promise<void>((resolve) => {
      const timer = runtime.after(times.closeMs, resolve);
      void drained.then(() => {
        timer.cancel();
        resolve();
      });
    });
    for (const batcher of batchers) batcher.stop();
  }

  #release(reservation: Reservation): void {
    const { account, micros, budget, isDeferred } = reservation;
    reservation.settled = true;
    if (!isDeferred) {
      this.#batchers.get(account)?.get(budget?.key)?.release(reservation);
      return;
    }
    const others = (this.#deferred.get(account) ?? 0) - micros;
    if (others > 0) this.#deferred.set(account, others);
    else this.#deferred.delete(account);
  }

  #batcher(account: string, budget: KeyBudget | null): AccountBatcher {
    let ofAccount = this.#batchers.get(account);
    if (!ofAccount) {
      ofAccount = new Map();
      this.#batchers.set(account, ofAccount);
    }
    let batcher = ofAccount.get(budget?.key);
    if (!batcher) {
      batcher = new AccountBatcher(account, budget, !this.#busyAccounts.has(account), this.#context);
      ofAccount.set(budget?.key, batcher);
    }
    return batcher;
  }

  #allBatchers(): AccountBatcher[] {
    return [...this.#batchers.values()].flatMap((ofAccount) => [...ofAccount.values()]);
  }

  #settlement(charges: readonly Charge[], answer: ChargedResponse | undefined): Settlement {
    const hour = Math.floor(this.#context.storeNow() / 3_600_000);
    const usage = charges.map(({ action, micros, platformMicros = 0 }) => ({
      hour,
      action,
      calls: 1,
      micros,
      platformMicros,
    }));
    return answer ? { usage, answer } : { usage };
  }
}

function held(batchers: Iterable<AccountBatcher>): Micros {
  let micros = 0;
  for (const { open } of batchers) micros += open;
  return micros;
}
