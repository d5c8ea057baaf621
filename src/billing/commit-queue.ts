import type { Micros } from '../shared/model/money.ts';
import { runInGroups } from '../shared/runtime/turns.ts';
import type { LedgerCommit, Settlement } from '../store/port.ts';
import type { Reservation, Settled } from './ledger-types.ts';

/** Someone who waits for a commit. Only the first answer counts: a caller may be told 503 before the outcome is known. */
export class PendingResult<T> {
  readonly promise: Promise<T>;
  answered = false;
  since: number;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: Error) => void;

  constructor(since: number) {
    this.since = since;
    const { promise, resolve, reject } = withResolvers<T>();
    this.promise = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  answer(value: T): void {
    this.answered = true;
    runInGroups(() => this.#resolve(value));
  }

  refuse(error: Error): void {
    this.answered = true;
    runInGroups(() => this.#reject(error));
  }
}

/** A caller, whatever it waits for. */
export type AnyPendingResult = Pick<PendingResult<unknown>, 'answered' | 'since' | 'refuse'>;

/** `Promise.withResolvers` came with Node 22. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

export interface ReserveEntry {
  micros: Micros;
  caller: PendingResult<Reservation>;
}

export interface SettleEntry {
  micros: Micros;
  settlement: Settlement;
  caller: PendingResult<Settled | null>;
}

export interface ReturnEntry {
  caller: PendingResult<void>;
}

/** What waits for the next commit of a lane. `release` and `settles` belong to the lane's generation of now. */
export class CommitQueue {
  reserves: ReserveEntry[] = [];
  release: Micros = 0;
  /** Who wants to know when `release` is in the store. */
  returns: ReturnEntry[] = [];
  settles: SettleEntry[] = [];
  lates: SettleEntry[] = [];

  get empty(): boolean {
    return this.release === 0 && this.reserves.length === 0 && this.settles.length === 0 && this.lates.length === 0;
  }

  /** Everything that waits, as one commit; the queue is empty afterwards. */
  take(head: Pick<LedgerCommit, 'id' | 'createdAt' | 'account' | 'writer' | 'generation' | 'begins'>): Batch {
    const { reserves, release, returns, settles, lates } = this;
    this.reserves = [];
    this.release = 0;
    this.returns = [];
    this.settles = [];
    this.lates = [];
    const commit = {
      ...head,
      release,
      settle: settles.map((entry) => entry.settlement),
      late: lates.map((entry) => entry.settlement),
      reserve: reserves.map((entry) => entry.micros),
    };
    return { commit, reserves, returns, settles, lates };
  }

  /** The hold is gone: what was to be released went back with it, what was performed under it is late. */
  outliveHold(): void {
    this.release = 0;
    for (const { caller } of this.returns.splice(0)) caller.answer();
    this.lates = [...this.settles, ...this.lates];
    this.settles = [];
  }

  /** Puts what rode in a commit that was not applied before what arrived since. */
  putBack(batch: Batch): void {
    this.reserves = [...batch.reserves.filter(({ caller }) => !caller.answered), ...this.reserves];
    this.lates = [...batch.settles, ...batch.lates, ...this.lates];
  }

  /** Drops reservations whose callers were refused while they waited. */
  dropAnswered(): void {
    this.reserves = this.reserves.filter(({ caller }) => !caller.answered);
  }
}

/** A commit on its way, and who waits for it. */
export interface Batch {
  readonly commit: LedgerCommit;
  readonly reserves: readonly ReserveEntry[];
  readonly returns: ReturnEntry[];
  readonly settles: readonly SettleEntry[];
  readonly lates: readonly SettleEntry[];
}
