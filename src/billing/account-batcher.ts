import type { Micros } from '../shared/model/money.ts';
import type { Timer } from '../shared/runtime/runtime.ts';
import type { Settlement } from '../store/port.ts';
import { type AppliedOutcome, answerSettlements, refuseCreditRequests, refuseOverdue, total } from './batch-results.ts';
import { type Batch, CommitQueue, type WaitingCallers } from './commit-queue.ts';
import { ledgerErrors } from './ledger-errors.ts';
import type { Reservation, Settled } from './ledger-types.ts';
import { PendingResult } from './pending-result.ts';
import { type CommitSenderContext, sendUntilOutcomeKnown } from './send-commit.ts';

export interface AccountBatcherContext extends CommitSenderContext {
  /** Identifies this process to the store. */
  writer: string;
  /** Called when the batcher has no open credit, no waiting callers and no commit on its way. It may be dropped then. */
  onIdle: (batcher: AccountBatcher) => void;
  /** Called whenever a commit changes the credit that the account can spend, as far as this process knows. */
  onCredit: (account: string, spendable: Micros) => void;
  /** The store's clock. */
  storeNow: () => number;
  /** Returns a number that it has never returned before. */
  nextGeneration: () => number;
}

/**
 * Uses the credit of one account for this process. Reservations share one hold in the store. At most one commit is on its
 * way to the store; everything that arrives meanwhile goes together into the next commit.
 */
export class AccountBatcher {
  readonly account: string;
  /** Credit in the account's hold, as far as this process knows. The hold exists while this is above 0. */
  open: Micros = 0;
  readonly #context: AccountBatcherContext;
  readonly #queue = new CommitQueue();
  #generation: number;
  /** Credit that callers have reserved under this generation. */
  #outstanding: Micros = 0;
  #batch: Batch | null = null;
  #lastSentAt = 0;
  #pumping = false;
  #failing = false;
  #renew = false;
  #watch: Timer | undefined;
  #draining: (() => void) | undefined;
  #stopped = false;

  constructor(account: string, context: AccountBatcherContext) {
    this.account = account;
    this.#context = context;
    this.#generation = context.nextGeneration();
  }

  reserve(micros: Micros): Promise<Reservation> {
    if (this.#failing) return Promise.reject(ledgerErrors.away());
    const caller = new PendingResult<Reservation>(this.#now());
    this.#queue.reserves.push({ micros, caller });
    this.#wake();
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
    this.#wake();
    return caller.promise;
  }

  release(reservation: Reservation): void {
    // Credit of an earlier generation went back with its hold. `drain` has already given back all reserved credit.
    if (reservation.generation !== this.#generation || this.#draining) return;
    this.#outstanding -= reservation.micros;
    this.#queue.release += reservation.micros;
    this.#wake();
  }

  /**
   * Resolves once the store knows of all credit that was given back before. Throws `unavailable` if the store cannot be
   * reached.
   */
  returned(): Promise<void> {
    // The queue is sent after the batch, so if it releases credit it is the one to wait for.
    const carrier = this.#queue.release > 0 ? this.#queue : this.#batch;
    if (carrier === null || (carrier === this.#batch && this.#batch.commit.release === 0)) return Promise.resolve();
    const caller = new PendingResult<void>(this.#now());
    carrier.returns.push({ caller });
    this.#wake();
    return caller.promise;
  }

  /** Gives back all reserved credit. Resolves once the hold is gone, nobody waits and no commit is on its way. */
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

  /** Refuses all callers that still wait. The sweeper gives back credit that the store still holds. */
  stop(): void {
    this.#stopped = true;
    this.#watch?.cancel();
    this.#expire(Number.POSITIVE_INFINITY);
  }

  #now(): number {
    return this.#context.runtime.now();
  }

  /** Sends the queue at the end of this turn of the event loop, so that all requests of the turn share one commit. */
  #wake(): void {
    this.#keepWatch(Math.min(this.#context.times.callerMs, this.#context.times.renewMs));
    if (this.#pumping || this.#batch || this.#stopped) return;
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
      // Ids ascend with time, so a store adds each at the end of its index, which stays fast with many ids.
      id: createdAt.toString(16).padStart(12, '0') + this.#context.runtime.randomBytes(14).toString('hex'),
      createdAt,
      account: this.account,
      writer: this.#context.writer,
      generation: this.#generation,
      begins: this.open === 0,
    });
    void this.#send(this.#batch);
  }

  async #send(batch: Batch): Promise<void> {
    const outcome = await sendUntilOutcomeKnown(batch, this.#context, {
      onAttempt: (at) => {
        this.#lastSentAt = at;
      },
      onFailure: () => this.#failed(batch),
      stopped: () => this.#stopped,
    });
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
      if (outcome.granted[index] === true) this.#grant(micros, caller);
      else caller.refuse(ledgerErrors.short(micros, outcome.left >= micros ? 'credit_reserved' : 'credit_short'));
    }
    if (this.open === 0) this.#generation = this.#context.nextGeneration();
    // The holds of other processes are not known here. A refused reservation shows that less than its amount is left.
    const refused = batch.reserves
      .filter((_, index) => outcome.granted[index] !== true)
      .map(({ micros }) => micros - 1);
    this.#context.onCredit(this.account, Math.min(outcome.left - this.open, ...refused));
  }

  #grant(micros: Micros, caller: PendingResult<Reservation>): void {
    this.open += micros;
    if (caller.answered || this.#draining) {
      this.#queue.release += micros;
      caller.refuse(ledgerErrors.stopping());
    } else {
      this.#outstanding += micros;
      caller.answer({ account: this.account, micros, generation: this.#generation, settled: false });
    }
  }

  /**
   * The store applied nothing, because the hold had been swept. The same content goes into another commit, under the next
   * generation.
   */
  #swept(batch: Batch): void {
    this.#beginAnew();
    this.#queue.putBack(batch);
  }

  #noAccount(batch: Batch): void {
    this.#beginAnew();
    for (const { caller } of [...batch.reserves, ...batch.settles, ...batch.lates]) {
      caller.refuse(ledgerErrors.noAccount(this.account));
    }
  }

  /** Nobody knows whether the commit was applied. Its charges may be lost, but are never made twice. */
  #expired(batch: Batch): void {
    this.#beginAnew();
    for (const { caller } of batch.reserves) caller.refuse(ledgerErrors.away());
    for (const { caller } of [...batch.settles, ...batch.lates]) caller.refuse(ledgerErrors.unrecorded());
  }

  /** Starts a new generation, because the hold is gone. Calls that still run under the old one settle late. */
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

  /** Refuses callers that waited too long and renews the hold. One timer serves both and runs again when the first is due. */
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

  /** Refuses callers that wait since `until` or longer. Returns since when the longest of the others waits. */
  #expire(until: number): number | null {
    const waiting: WaitingCallers[] = this.#batch ? [this.#batch, this.#queue] : [this.#queue];
    const { oldest, refused } = refuseOverdue(waiting, until, this.#now());
    // A store may hang rather than fail.
    if (refused) this.#failing = this.#batch !== null;
    this.#queue.dropAnswered();
    return oldest;
  }
}
