import type { Micros } from '../shared/model/money.ts';
import type { InTrace } from '../shared/observability/tracing.ts';
import type { Timer } from '../shared/runtime/runtime.ts';
import type { KeyBudget, Settlement } from '../store/port.ts';
import { type AppliedOutcome, answerSettlements, refuseCreditRequests, refuseOverdue, total } from './batch-results.ts';
import { type Batch, CommitQueue, type WaitingCallers } from './commit-queue.ts';
import { ledgerErrors } from './ledger-errors.ts';
import type { Reservation, Settled } from './ledger-types.ts';
import { PendingResult } from './pending-result.ts';
import { type CommitSenderContext, sendUntilOutcomeKnown } from './send-commit.ts';

export interface AccountBatcherContext extends CommitSenderContext {
  /** The id of this process in the store. */
  writer: string;
  /** Called when the batcher has no open credit, no waiting callers and no commit in flight. The batcher can then be discarded. */
  onIdle: (batcher: AccountBatcher) => void;
  /** Returns the credit in all holds of the account, as far as this process knows. */
  heldBy: (account: string) => Micros;
  /** Called when a commit changes the credit that the account can spend, as far as this process knows. */
  onCredit: (account: string, spendable: Micros) => void;
  /** Returns the time of the store's clock. */
  storeNow: () => number;
  /** Keeps the trace of the current request. Not set if no traces are exported. */
  captureTrace?: (() => InTrace) | undefined;
  /** Returns a number that it has never returned before. */
  nextGeneration: () => number;
}

/**
 * Manages the credit of one account in this process, for all calls of API keys without a daily budget, or for those of one key with a
 * budget. All reservations share one hold in the store. At most one commit is in flight;
 * requests that arrive in the meantime are combined into the next commit.
 */
export class AccountBatcher {
  readonly account: string;
  readonly budget: KeyBudget | null;
  /** The credit in the account's hold, as far as this process knows. The hold exists while this is above 0. */
  open: Micros = 0;
  /** True if the last commit was for at most one caller. The next commit of a quiet account does not wait for further callers. */
  isQuiet: boolean;
  readonly #context: AccountBatcherContext;
  readonly #queue = new CommitQueue();
  #generation: number;
  /** The credit that callers have reserved under the current generation. */
  #outstanding: Micros = 0;
  #batch: Batch | null = null;
  #lastSentAt = 0;
  #pumping = false;
  #failing = false;
  #renew = false;
  #watch: Timer | undefined;
  #draining: (() => void) | undefined;
  #stopped = false;

  constructor(account: string, budget: KeyBudget | null, isQuiet: boolean, context: AccountBatcherContext) {
    this.account = account;
    this.budget = budget;
    this.isQuiet = isQuiet;
    this.#context = context;
    this.#generation = context.nextGeneration();
  }

  reserve(micros: Micros): Promise<Reservation> {
    if (this.#failing) return Promise.reject(ledgerErrors.away());
    const caller = new PendingResult<Reservation>(this.#now());
    this.#queue.reserves.push({ micros, caller });
    this.#wakeForCaller();
    return caller.promise;
  }

  settle(reservation: Reservation, micros: Micros, settlement: Settlement): Promise<Settled | null> {
    const caller = new PendingResult<Settled | null>(this.#now());
    const entry = { micros, settlement, caller };
    if (reservation.generation === this.#generation) {
      this.#outstanding -= reservation.micros;
      this.#queue.settles.push(entry);
      this.#queue.release += reservation.micros - micros;
    } else {
      this.#queue.lates.push(entry);
    }
    this.#wakeForCaller();
    return caller.promise;
  }

  /** Charges a read that ran without a reservation. Throws `insufficient_credits` if the credit does not cover the charge. */
  charge(micros: Micros, settlement: Settlement): Promise<Settled | null> {
    const caller = new PendingResult<Settled | null>(this.#now());
    this.#queue.reads.push({ micros, settlement, caller });
    this.#wakeForCaller();
    return caller.promise;
  }

  /** True if the last attempt to send a commit failed. */
  get isFailing(): boolean {
    return this.#failing;
  }

  /** The total credit that waiting callers want to reserve. */
  get awaited(): Micros {
    return total(this.#queue.reserves) + total(this.#batch?.reserves ?? []);
  }

  /** The number of charges that the store has not confirmed. */
  get chargesWaiting(): number {
    const count = ({ settles, lates, reads }: WaitingCallers) => settles.length + lates.length + reads.length;
    return count(this.#queue) + (this.#batch ? count(this.#batch) : 0);
  }

  release(reservation: Reservation): void {
    // The credit of an earlier generation was returned with its hold, and `drain` has already returned all reserved credit.
    if (reservation.generation !== this.#generation || this.#draining) return;
    this.#outstanding -= reservation.micros;
    this.#queue.release += reservation.micros;
    this.#wake();
  }

  /** Resolves when the store knows all credit that was released before this call, or when it turns out that the store cannot be written. */
  returned(): Promise<void> {
    // The queue is sent after the batch. If both release credit, waiting for the queue is sufficient.
    const carrier = this.#queue.release > 0 ? this.#queue : this.#batch;
    if (carrier === null || (carrier === this.#batch && this.#batch.commit.release === 0)) return Promise.resolve();
    const caller = new PendingResult<void>(this.#now());
    carrier.returns.push({ caller });
    this.#wake();
    return caller.promise;
  }

  /** Returns all reserved credit to the account. Resolves when the hold is deleted, no callers wait and no commit is in flight. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#draining = resolve;
      this.#queue.release += this.#outstanding;
      this.#outstanding = 0;
      for (const { caller } of this.#queue.reserves) caller.refuse(ledgerErrors.stopping());
      this.#queue.dropAnswered();
      this.#wake();
      this.#rest();
    });
  }

  /** Refuses all waiting callers. A sweep returns the credit that is still in the store's hold. */
  stop(): void {
    this.#stopped = true;
    this.#watch?.cancel();
    this.#expire(Number.POSITIVE_INFINITY);
  }

  #now(): number {
    return this.#context.runtime.now();
  }

  /** Sends the queue in the trace of the first caller that waits for it. */
  #wakeForCaller(): void {
    this.#queue.inTrace ??= this.#context.captureTrace?.();
    this.#wake();
  }

  /**
   * Sends the queue. If the account is quiet, sends it at once. Otherwise sends it at the end of this turn of the event loop, so that all
   * requests of the turn share one commit.
   */
  #wake(): void {
    this.#keepWatch(Math.min(this.#context.times.callerMs, this.#context.times.renewMs));
    if (this.#pumping || this.#batch || this.#stopped) return;
    if (this.isQuiet) {
      this.#pump();
      return;
    }
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#batch || this.#stopped) return;
    const renew = this.#renew && this.open > 0;
    this.#renew = false;
    if (this.#queue.empty && !renew) {
      this.#rest();
      return;
    }
    const createdAt = this.#context.storeNow();
    this.#batch = this.#queue.take({
      // Ids increase with time, so that a store appends each id at the end of its index, which stays fast with many ids.
      id: createdAt.toString(16).padStart(12, '0') + this.#context.runtime.randomBytes(14).toString('hex'),
      createdAt,
      account: this.account,
      writer: this.#context.writer,
      generation: this.#generation,
      begins: this.open === 0,
      ...(this.budget && { budget: this.budget }),
    });
    this.isQuiet = callersOf(this.#batch) <= 1;
    void this.#send(this.#batch);
  }

  async #send(batch: Batch): Promise<void> {
    const send = () =>
      sendUntilOutcomeKnown(batch, this.#context, {
        onAttempt: (at) => {
          this.#lastSentAt = at;
        },
        onFailure: () => this.#failed(batch),
        stopped: () => this.#stopped,
      });
    const outcome = await (batch.inTrace?.(send) ?? send());
    if (outcome === 'stopped') return;
    if (outcome.status === 'applied') this.#applied(batch, outcome);
    else if (outcome.status === 'swept') this.#swept(batch);
    else if (outcome.status === 'expired') this.#expired(batch);
    else this.#noAccount(batch);
    for (const { caller } of batch.returns) caller.answer();
    this.#failing = false;
    this.#batch = null;
    if (this.open > 0) this.#keepWatch(this.#context.times.renewMs);
    if (this.#queue.empty) this.#rest();
    else this.#wake();
  }

  /** Reservations fail fast while the store is unavailable. Settlements keep waiting, because their calls have already run. */
  #failed(batch: Batch): void {
    this.#failing = true;
    refuseCreditRequests([batch, this.#queue], this.#now() - this.#context.times.failingMs);
    this.#queue.dropAnswered();
  }

  #applied(batch: Batch, outcome: AppliedOutcome): void {
    answerSettlements(batch, outcome);
    this.open -= batch.commit.release + total(batch.settles);
    for (const [index, { micros, caller }] of batch.reserves.entries()) {
      const granted = outcome.granted[index];
      if (granted === true) this.#grant(micros, caller);
      else if (granted === 'over_budget' && this.budget) {
        caller.refuse(ledgerErrors.budgetSpent(micros, this.budget, this.#context.storeNow()));
      } else caller.refuse(ledgerErrors.short(micros, outcome.left >= micros ? 'credit_reserved' : 'credit_short'));
    }
    if (this.open === 0) this.#generation = this.#context.nextGeneration();
    // This process does not know the holds of other processes. A refusal shows that less than its amount is available.
    const refused = [
      ...batch.reserves.filter((_, index) => outcome.granted[index] === false),
      ...batch.reads.filter((_, index) => outcome.late[batch.lates.length + index] === 'short'),
    ].map(({ micros }) => micros - 1);
    this.#context.onCredit(this.account, Math.min(outcome.left - this.#context.heldBy(this.account), ...refused));
  }

  #grant(micros: Micros, caller: PendingResult<Reservation>): void {
    this.open += micros;
    if (caller.answered || this.#draining) {
      this.#queue.release += micros;
      caller.refuse(ledgerErrors.stopping());
    } else {
      this.#outstanding += micros;
      const { account, budget } = this;
      caller.answer({ account, micros, budget, generation: this.#generation, isDeferred: false, settled: false });
    }
  }

  /** Handles a commit that the store did not apply because the hold was swept. Its content is sent again with the next generation. */
  #swept(batch: Batch): void {
    this.#beginAnew();
    this.#queue.putBack(batch);
  }

  #noAccount(batch: Batch): void {
    this.#beginAnew();
    for (const { caller } of [...batch.reserves, ...batch.settles, ...batch.lates, ...batch.reads]) {
      caller.refuse(ledgerErrors.noAccount(this.account));
    }
  }

  /** Handles a commit of which it is unknown whether it was applied. Its charges may be lost, but they are never made twice. */
  #expired(batch: Batch): void {
    this.#beginAnew();
    for (const { caller } of batch.reserves) caller.refuse(ledgerErrors.away());
    for (const { caller } of [...batch.settles, ...batch.lates, ...batch.reads]) {
      caller.refuse(ledgerErrors.unrecorded());
    }
  }

  /** Starts a new generation after the hold was deleted. Calls that run under an earlier generation settle late. */
  #beginAnew(): void {
    this.open = 0;
    this.#outstanding = 0;
    this.#generation = this.#context.nextGeneration();
    this.#queue.outliveHold();
  }

  #rest(): void {
    if (this.#batch || this.#pumping || this.open > 0 || !this.#queue.empty) return;
    this.#watch?.cancel();
    this.#watch = undefined;
    this.#context.onIdle(this);
    this.#draining?.();
  }

  #keepWatch(delayMs: number): void {
    if (this.#watch || this.#stopped) return;
    this.#watch = this.#context.runtime.after(delayMs, () => {
      this.#watch = undefined;
      this.#tick();
    });
  }

  /** Refuses callers that waited too long, and renews the hold. One timer serves both purposes. */
  #tick(): void {
    const { callerMs, renewMs } = this.#context.times;
    const now = this.#now();
    const waitingSince = this.#expire(now - callerMs);
    let due = waitingSince === null ? Number.POSITIVE_INFINITY : waitingSince + callerMs;
    if (this.open > 0) {
      // The clock may have been set back.
      if (this.#lastSentAt > now) this.#lastSentAt = now;
      if (this.#batch === null && now - this.#lastSentAt >= renewMs) {
        this.#renew = true;
        due = now + renewMs;
        this.#wake();
      } else {
        due = Math.min(due, this.#batch ? now + renewMs : this.#lastSentAt + renewMs);
      }
    }
    if (due !== Number.POSITIVE_INFINITY) this.#keepWatch(Math.max(1, due - now));
  }

  /** Refuses callers that have waited since `until` or longer. Returns the time since which the longest-waiting remaining caller waits. */
  #expire(until: number): number | null {
    const waiting: WaitingCallers[] = this.#batch ? [this.#batch, this.#queue] : [this.#queue];
    const { oldest, refused } = refuseOverdue(waiting, until, this.#now());
    // A store may hang without an error.
    if (refused) this.#failing = this.#batch !== null;
    this.#queue.dropAnswered();
    return oldest;
  }
}

function callersOf({ reserves, returns, settles, lates, reads }: WaitingCallers): number {
  return reserves.length + returns.length + settles.length + lates.length + reads.length;
}
