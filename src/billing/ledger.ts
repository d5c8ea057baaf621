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
  /** The store's clock (`Store.now`), where it is not this machine's. */
  storeNow?: () => number;
  /** Hears of every attempt of a commit; for metrics and the log. It must not throw. */
  onCommit?: (info: CommitInfo) => void;
  times?: Partial<LedgerTimes>;
}

/**
 * Credit of accounts, as this process uses it: reserve before a call, settle after it.
 *
 * Each account with activity has a lane with at most one commit on its way to the store; whatever arrives meanwhile
 * goes together into the next one. The rules are in `src/store/port.ts` (`LedgerCommit`), the reasons in
 * docs/architecture-decisions.md, Money.
 */
export class Ledger {
  readonly #lanes = new Map<string, AccountBatcher>();
  readonly #context: AccountBatcherContext;
  /** What accounts could spend when this process last heard of it. */
  readonly #spendable = new LRUCache<string, Micros>({ max: knownAccounts });
  #closed = false;

  constructor(options: LedgerOptions) {
    const { store, runtime } = options;
    // Counted over all lanes, so that a lane which was dropped and made again never repeats a generation.
    let generation = 0;
    this.#context = {
      store,
      runtime,
      writer: runtime.randomBytes(16).toString('hex'),
      storeNow: options.storeNow ?? (() => runtime.now()),
      times: { ...ledgerTimes, ...options.times },
      onCommit: options.onCommit ?? (() => {}),
      onIdle: (lane) => {
        if (this.#lanes.get(lane.account) === lane) this.#lanes.delete(lane.account);
      },
      onCredit: (account, spendable) => this.#spendable.set(account, spendable),
      nextGeneration: () => ++generation,
    };
  }

  /**
   * Whether the account's credit covered `micros` when this process last heard of it. It may have changed since: only
   * `reserve` knows. Asks the store only about accounts that this process has not charged or refused lately.
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
   * Puts `micros` aside for calls that are about to be made. Every reservation must be settled, whatever happens.
   * Throws `insufficient_credits`, `unavailable` (nothing was charged) or `unauthenticated` (no such account).
   */
  async reserve(account: string, micros: Micros): Promise<Reservation> {
    if (!Number.isSafeInteger(micros) || micros < 0) throw new RangeError(`not an amount to reserve: ${micros}`);
    if (this.#closed) throw new PosternError('stopping', 'The gateway is stopping; nothing was charged, ask again');
    if (micros === 0) return { account, micros, generation: 0, settled: false };
    return this.#lane(account).reserve(micros);
  }

  /**
   * Charges what succeeded under a reservation and gives the rest of it back. Without charges it resolves at once with
   * `null`, and so it does where all charges are 0: free calls are not recorded. `null` too where `answer` is of an
   * idempotency key that was answered meanwhile, whose call was paid then. Otherwise it waits for the commit and
   * throws `unavailable` where that is not known within 5 s; the charge is then still recorded once, as soon as it can be.
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
    return this.#lane(reservation.account).settle(reservation, micros, this.#settlement(charges, answer));
  }

  /**
   * Resolves once the store knows of all credit of the account that was given back here before: a refused call does not
   * wait for that. Throws `unavailable` where the store does not hear of it.
   */
  async returned(account: string): Promise<void> {
    await this.#lanes.get(account)?.returned();
  }

  /** What this process has open in the store, over all accounts, as far as it knows. */
  heldHere(): Micros {
    let held = 0;
    for (const lane of this.#lanes.values()) held += lane.open;
    return held;
  }

  /** Accounts with activity. */
  get lanes(): number {
    return this.#lanes.size;
  }

  /**
   * Refuses new reservations, records what was settled and gives back what is still reserved (call it when the calls in
   * flight have ended). Waits for the store, but not for ever: what it could not give back the sweeper does.
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { runtime, times } = this.#context;
    const lanes = [...this.#lanes.values()];
    const drained = Promise.all(lanes.map((lane) => lane.drain()));
    await new Promise<void>((resolve) => {
      const timer = runtime.after(times.closeMs, resolve);
      void drained.then(() => {
        timer.cancel();
        resolve();
      });
    });
    for (const lane of lanes) lane.stop();
  }

  #release(reservation: Reservation): void {
    this.#lanes.get(reservation.account)?.release(reservation);
  }

  #lane(account: string): AccountBatcher {
    let lane = this.#lanes.get(account);
    if (!lane) {
      lane = new AccountBatcher(account, this.#context);
      this.#lanes.set(account, lane);
    }
    return lane;
  }

  #settlement(charges: readonly Charge[], answer: SavedAnswer | undefined): Settlement {
    const hour = Math.floor(this.#context.storeNow() / 3_600_000);
    const usage = charges.map(({ action, micros }) => ({ hour, action, calls: 1, micros }));
    return answer ? { usage, answer } : { usage };
  }
}
