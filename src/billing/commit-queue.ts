import type { Micros } from '../shared/model/money.ts';
import type { LedgerCommit, Settlement } from '../store/port.ts';
import type { Reservation, Settled } from './ledger-types.ts';
import type { PendingResult } from './pending-result.ts';

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

/** The callers that wait for the commit on its way, or for the next one. */
export interface WaitingCallers {
  readonly reserves: readonly ReserveEntry[];
  /** Callers that wait until the store knows of `release`. */
  readonly returns: readonly ReturnEntry[];
  readonly settles: readonly SettleEntry[];
  /** Charges whose hold no longer exists. */
  readonly lates: readonly SettleEntry[];
}

/** Collects the next commit of an account. `release` and `settles` belong to the current generation of the account's hold. */
export class CommitQueue implements WaitingCallers {
  reserves: ReserveEntry[] = [];
  release: Micros = 0;
  returns: ReturnEntry[] = [];
  settles: SettleEntry[] = [];
  lates: SettleEntry[] = [];

  get empty(): boolean {
    return this.release === 0 && this.reserves.length === 0 && this.settles.length === 0 && this.lates.length === 0;
  }

  /** Empties the queue into one commit. */
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

  /** To be called when the hold is gone. Its credit went back with it, and charges for calls under it are late. */
  outliveHold(): void {
    this.release = 0;
    for (const { caller } of this.returns.splice(0)) caller.answer();
    this.lates = [...this.settles, ...this.lates];
    this.settles = [];
  }

  /** Puts the content of a commit that was not applied in front of everything that arrived since. */
  putBack(batch: Batch): void {
    this.reserves = [...batch.reserves.filter(({ caller }) => !caller.answered), ...this.reserves];
    this.lates = [...batch.settles, ...batch.lates, ...this.lates];
  }

  /** Drops reservations whose callers were refused while they waited. */
  dropAnswered(): void {
    this.reserves = this.reserves.filter(({ caller }) => !caller.answered);
  }
}

/** A commit on its way to the store, with the callers that wait for it. */
export interface Batch extends WaitingCallers {
  readonly commit: LedgerCommit;
  readonly returns: ReturnEntry[];
}
