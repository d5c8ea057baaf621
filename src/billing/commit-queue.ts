import type { Micros } from '../shared/model/money.ts';
import type { InTrace } from '../shared/observability/tracing.ts';
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

/** The callers that wait for the commit in flight or for the next one. */
export interface WaitingCallers {
  /** True if the store may have applied the commit. */
  readonly isSent: boolean;
  readonly reserves: readonly ReserveEntry[];
  /** Callers that wait until the store knows `release`. */
  readonly returns: readonly ReturnEntry[];
  readonly settles: readonly SettleEntry[];
  /** Charges whose hold no longer exists. */
  readonly lates: readonly SettleEntry[];
  /** Charges of reads that ran without a reservation. */
  readonly reads: readonly SettleEntry[];
}

/** Collects the next commit of an account. `release` and `settles` belong to the current generation of the account's hold. */
export class CommitQueue implements WaitingCallers {
  readonly isSent = false;
  reserves: ReserveEntry[] = [];
  release: Micros = 0;
  returns: ReturnEntry[] = [];
  settles: SettleEntry[] = [];
  lates: SettleEntry[] = [];
  reads: SettleEntry[] = [];
  /** Runs the commit in the trace of its first caller. */
  inTrace: InTrace | undefined;

  get empty(): boolean {
    const { release, reserves, settles, lates, reads } = this;
    return release + reserves.length + settles.length + lates.length + reads.length === 0;
  }

  /** Moves the content of the queue into one commit. */
  take(head: Omit<LedgerCommit, 'release' | 'settle' | 'late' | 'reserve'>): Batch {
    const { reserves, release, returns, settles, lates, reads, inTrace } = this;
    this.inTrace = undefined;
    this.reserves = [];
    this.release = 0;
    this.returns = [];
    this.settles = [];
    this.lates = [];
    this.reads = [];
    const commit = {
      release,
      settle: settles.map((entry) => entry.settlement),
      late: [...lates, ...reads].map((entry) => entry.settlement),
      reserve: reserves.map((entry) => entry.micros),
      ...head,
    };
    return { commit, isSent: true, reserves, returns, settles, lates, reads, inTrace };
  }

  /**
   * Must be called when the hold was deleted. The credit in `release` was returned with the hold, and the charges in `settles` become late.
   */
  outliveHold(): void {
    this.release = 0;
    for (const { caller } of this.returns.splice(0)) caller.answer();
    this.lates = [...this.settles, ...this.lates];
    this.settles = [];
  }

  /** Inserts the content of a commit that was not applied before everything that arrived later. */
  putBack(batch: Batch): void {
    this.reserves = [...batch.reserves.filter(({ caller }) => !caller.answered), ...this.reserves];
    this.lates = [...batch.settles, ...batch.lates, ...this.lates];
    this.reads = [...batch.reads.filter(({ caller }) => !caller.answered), ...this.reads];
    this.inTrace = batch.inTrace ?? this.inTrace;
  }

  /** Removes reservations and charges of reads whose callers were refused while they waited. */
  dropAnswered(): void {
    this.reserves = this.reserves.filter(({ caller }) => !caller.answered);
    this.reads = this.reads.filter(({ caller }) => !caller.answered);
  }
}

/** A commit in flight with the callers that wait for it. */
export interface Batch extends WaitingCallers {
  readonly commit: LedgerCommit;
  readonly returns: ReturnEntry[];
  readonly inTrace: InTrace | undefined;
}

const noCharge: Settlement = { usage: [] };

/**
 * Returns the commit for the next attempt. Reads that were refused while the outcome of an earlier attempt was unknown are charged nothing, so
 * they are charged only if the store has applied an earlier attempt.
 */
export function commitForAttempt({ commit, lates, reads }: Batch): LedgerCommit {
  if (!reads.some(({ caller }) => caller.answered)) return commit;
  const late = reads.map(({ caller, settlement }) => (caller.answered ? noCharge : settlement));
  return { ...commit, late: [...commit.late.slice(0, lates.length), ...late] };
}
