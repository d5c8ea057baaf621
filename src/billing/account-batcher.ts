import type { Micros } from '../shared/model/money.ts';
import type { Timer } from '../shared/runtime/runtime.ts';
import type { CommitOutcome, Settlement } from '../store/port.ts';
import { type AnyPendingResult, type Batch, CommitQueue, PendingResult } from './commit-queue.ts';
import { ledgerErrors } from './ledger-errors.ts';
import type { Reservation, Settled } from './ledger-types.ts';
import { type CommitSenderContext, sendUntilOutcomeKnown } from './send-commit.ts';

export interface AccountBatcherContext extends CommitSenderContext {
  /** This process, to the store. */
  writer: string;
  /** Nothing is open, waiting or on its way: the lane may be forgotten. */
  onIdle: (lane: AccountBatcher) => void;
  /** Called with what the account can spend, as far as this process knows, whenever that changes. */
  onCredit: (account: string, spendable: Micros) => void;
  /** The store's clock. */
  storeNow: () => number;
  /** A number never given before. */
  nextGeneration: () => number;
}

/** The credit of one account in this process. */
export class AccountBatcher {
  readonly account: string;
  /** What the hold has open in the store, as far as is known. The hold exists while this is above 0. */
  open: Micros = 0;
  readonly #context: AccountBatcherContext;
  readonly #queue = new CommitQueue();
  #generation: number;
  /** What callers hold reservations for, of this generation. */
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
    // Of an earlier generation: it went back with its hold. While draining: it was given back already.
    if (reservation.generation !== this.#generation || this.#draining) return;
    this.#outstanding -= reservation.micros;
    this.#queue.release += reservation.micros;
    this.#wake();
  }

  /** Resolves once the store knows of all that was given back before. Throws `unavailable` where it does not hear of it. */
  returned(): Promise<void> {
    // What waits goes after what is on its way.
    const carrier = this.#queue.release > 0 ? this.#queue : this.#batch;
    if (carrier === null || (carrier === this.#batch && this.#batch.commit.release === 0)) return Promise.resolve();
    const caller = new PendingResult<void>(this.#now());
    carrier.returns.push({ caller });
    this.#wake();
    return caller.promise;
  }

  /** Gives back what callers still hold, and resolves once nothing is open, waiting or on its way. */
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

  /** Ends all waiting. What the store did not hear of is the sweeper's. */
  stop(): void {
    this.#stopped = true;
    this.#watch?.cancel();
    this.#expire(Number.POSITIVE_INFINITY);
  }

  #now(): number {
    return this.#context.runtime.now();
  }

  /** Sends what waits at the end of this turn of the event loop, so that all that arrives in it goes together. */
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
      // In the order of time, so that a store adds it where it added the last one, however many it keeps.
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

  /** Whoever waits for credit need not hope for long; what was performed waits on, to be recorded. */
  #failed(batch: Batch): void {
    this.#failing = true;
    const until = this.#now() - this.#context.times.failingMs;
    const hopeful = [...batch.reserves, ...batch.returns, ...this.#queue.reserves, ...this.#queue.returns];
    for (const { caller } of hopeful) {
      if (!caller.answered && caller.since <= until) caller.refuse(ledgerErrors.away());
    }
    this.#queue.dropAnswered();
  }

  #applied(batch: Batch, outcome: Extract<CommitOutcome, { status: 'applied' }>): void {
    for (const [index, { caller }] of batch.lates.entries()) {
      if (outcome.late[index] === 'short') caller.refuse(ledgerErrors.creditGone());
    }
    const entries = [...batch.settles, ...batch.lates];
    const outcomes = [...outcome.settled, ...outcome.late];
    const charged = entries.filter((_, index) => outcomes[index] === 'charged');
    // Each sees what is left after itself, as if those of one commit had been charged one by one.
    let remaining = outcome.left + total(charged);
    for (const { micros, caller } of charged) {
      remaining -= micros;
      caller.answer({ charged: micros, remaining });
    }
    for (const [index, { caller }] of entries.entries()) if (outcomes[index] === 'answered') caller.answer(null);
    this.open -= batch.commit.release + total(batch.settles);
    for (const [index, { micros, caller }] of batch.reserves.entries()) {
      if (outcome.granted[index] === true) this.#grant(micros, caller);
      else caller.refuse(ledgerErrors.short(micros, outcome.left >= micros ? 'credit_reserved' : 'credit_short'));
    }
    if (this.open === 0) this.#generation = this.#context.nextGeneration();
    // What other processes hold is not known here, except that it leaves less than what was refused.
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

  /** Nothing of the commit was applied. What it carried goes into another one, under the next generation. */
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

  /** Nobody knows whether it was applied: what it carried may be lost, but is never charged twice. */
  #expired(batch: Batch): void {
    this.#beginAnew();
    for (const { caller } of batch.reserves) caller.refuse(ledgerErrors.away());
    for (const { caller } of [...batch.settles, ...batch.lates]) caller.refuse(ledgerErrors.unrecorded());
  }

  /** The hold is gone, or given up: what is still reserved under it becomes late when it settles. */
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

  /** One timer for the callers' patience and for the hold: it looks again when the first of them is due. */
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

  /** Refuses callers who have waited since `until` or longer. Answers since when the longest of the others waits. */
  #expire(until: number): number | null {
    const now = this.#now();
    let oldest: number | null = null;
    const refuse = (entries: readonly { caller: AnyPendingResult }[], refusal: () => Error) => {
      for (const { caller } of entries) {
        if (caller.answered) continue;
        caller.since = Math.min(caller.since, now);
        if (caller.since <= until) {
          // The store may hang rather than fail.
          this.#failing = this.#batch !== null;
          caller.refuse(refusal());
        } else {
          oldest = Math.min(oldest ?? caller.since, caller.since);
        }
      }
    };
    const waiting = this.#batch ? [this.#batch, this.#queue] : [this.#queue];
    for (const { reserves, returns, settles, lates } of waiting) {
      refuse(reserves, ledgerErrors.away);
      refuse(returns, ledgerErrors.away);
      refuse(settles, ledgerErrors.unrecorded);
      refuse(lates, ledgerErrors.unrecorded);
    }
    this.#queue.dropAnswered();
    return oldest;
  }
}

function total(entries: readonly { micros: Micros }[]): Micros {
  return entries.reduce((sum, { micros }) => sum + micros, 0);
}
