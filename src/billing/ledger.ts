import { LRUCache } from 'lru-cache';
import { PosternError } from '../shared/errors/postern-error.ts';
import { formatDollars, type Micros } from '../shared/model/money.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { LedgerStore, SavedAnswer, Settlement } from '../store/port.ts';
import { orStoreAway } from '../store/store-away.ts';
import { AccountBatcher, type AccountBatcherContext } from './account-batcher.ts';
import type { Charge, Reservation, Settled } from './ledger-types.ts';
import { type CommitInfo, type LedgerTimes, ledgerTimes } from './ledger-types.ts';

export type { Charge, CommitInfo, LedgerTimes, Reservation, Settled } from './ledger-types.ts';

const knownAccounts = 10_000;

export interface LedgerOptions {
  store: LedgerStore;
  runtime: Runtime;
  /** The store's clock (`Store.now`), if it is not the clock of this machine. */
  storeNow?: () => number;
  /** Called after every attempt of a commit, for metrics and the log. It must not throw. */
  onCommit?: (info: CommitInfo) => void;
  times?: Partial<LedgerTimes>;
}

/**
 * Uses the credit of accounts for this process: reserve before a call, settle after it. Each account with activity has an
 * `AccountBatcher`. The rules are in `src/store/port.ts` (`LedgerCommit`), the reasons in
 * docs/architecture-decisions.md, Money.
 */
export class Ledger {
  readonly #batchers = new Map<string, AccountBatcher>();
  readonly #context: AccountBatcherContext;
  /** Credit that each account could spend, as this process last read it. */
  readonly #spendable = new LRUCache<string, Micros>({ max: knownAccounts });
  #closed = false;

  constructor(options: LedgerOptions) {
    const { store, runtime } = options;
    // Counted over all batchers, because a batcher that is dropped and made again must not repeat a generation.
    let generation = 0;
    this.#context = {
      store,
      runtime,
      writer: runtime.randomBytes(16).toString('hex'),
      storeNow: options.storeNow ?? (() => runtime.now()),
      times: { ...ledgerTimes, ...options.times },
      onCommit: options.onCommit ?? (() => {}),
      onIdle: (batcher) => {
        if (this.#batchers.get(batcher.account) === batcher) this.#batchers.delete(batcher.account);
      },
      onCredit: (account, spendable) => this.#spendable.set(account, spendable),
      nextGeneration: () => ++generation,
    };
  }

  /**
   * Returns whether the account's credit covered `micros` when this process last read it. Only `reserve` decides, because the
   * credit may have changed since. Reads the store only for accounts that this process has not charged or refused lately.
   */
  async covers(account: string, micros: Micros): Promise<boolean> {
    if (micros === 0) return true;
    let spendable = this.#spendable.get(account);
    if (spendable === undefined) {
      const balance = await orStoreAway(this.#context.store.balance(account), 'the credit cannot be looked up');
      spendable = balance?.avail ?? 0;
      this.#spendable.set(account, spendable);
    }
    return spendable >= micros;
  }

  /**
   * Reserves `micros` for calls that are about to run. Every reservation must be settled, even if its calls fail.
   * Throws `insufficient_credits`, `unavailable` (nothing was charged) or `unauthenticated` (no such account).
   */
  async reserve(account: string, micros: Micros): Promise<Reservation> {
    if (!Number.isSafeInteger(micros) || micros < 0) throw new RangeError(`not an amount to reserve: ${micros}`);
    if (this.#closed) throw new PosternError('stopping', 'The gateway is stopping; nothing was charged, ask again');
    if (micros === 0) return { account, micros, generation: 0, settled: false };
    return this.#batcher(account).reserve(micros);
  }

  /**
   * Charges the calls that succeeded under a reservation and gives the rest of it back. Resolves at once with `null` if the
   * charges are 0 in total, because free calls are not recorded. Also resolves with `null` if `answer` belongs to an
   * idempotency key that another attempt has answered and paid for. Otherwise it waits for the commit, and throws `unavailable`
   * if the outcome is not known within 5 s. The charge is then still recorded once, as soon as the store is back.
   */
  async settle(reservation: Reservation, charges: readonly Charge[], answer?: SavedAnswer): Promise<Settled | null> {
    if (reservation.settled) throw new Error('a reservation was settled twice');
    reservation.settled = true;
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
    if (this.#closed) {
      throw new PosternError('stopping', 'The call was performed, but the gateway stopped before it was charged');
    }
    return this.#batcher(reservation.account).settle(reservation, micros, this.#settlement(charges, answer));
  }

  /**
   * Resolves once the store knows of all credit of the account that this process has given back so far. A refused call does
   * not wait for that. Throws `unavailable` if the store cannot be reached.
   */
  async returned(account: string): Promise<void> {
    await this.#batchers.get(account)?.returned();
  }

  /** Credit in the holds of this process, over all accounts, as far as it knows. */
  heldHere(): Micros {
    let held = 0;
    for (const batcher of this.#batchers.values()) held += batcher.open;
    return held;
  }

  /** Accounts with activity. */
  get activeAccounts(): number {
    return this.#batchers.size;
  }

  /**
   * Refuses new reservations, records all settlements and gives back all reserved credit. To be called when the calls in
   * flight have ended. Waits `closeMs` for the store at most; the sweeper gives back the rest.
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { runtime, times } = this.#context;
    const batchers = [...this.#batchers.values()];
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
    this.#batchers.get(reservation.account)?.release(reservation);
  }

  #batcher(account: string): AccountBatcher {
    let batcher = this.#batchers.get(account);
    if (!batcher) {
      batcher = new AccountBatcher(account, this.#context);
      this.#batchers.set(account, batcher);
    }
    return batcher;
  }

  #settlement(charges: readonly Charge[], answer: SavedAnswer | undefined): Settlement {
    const hour = Math.floor(this.#context.storeNow() / 3_600_000);
    const usage = charges.map(({ action, micros }) => ({ hour, action, calls: 1, micros }));
    return answer ? { usage, answer } : { usage };
  }
}
