import { Semaphore } from '../../shared/runtime/semaphore.ts';
import type { PollerRecord } from '../../store/port.ts';

/** The outcome of one attempt. Times are milliseconds since the event was stored; `null` if the attempt is not measured. */
export interface AttemptReport {
  outcome: 'delivered' | 'retrying' | 'given_up';
  firstAfterMs: number | null;
  deliveredAfterMs: number | null;
}

/**
 * The only calls from pollers and queues to the code above them: reports for the log, for metrics and for live streams.
 * They cannot be return values, because timers drive the work and nobody waits for it. They return nothing, so no part
 * depends on who listens.
 */
export interface PollerMonitor {
  attempted(attempt: AttemptReport): void;
  /** Events were stored, so many milliseconds after the platform's time of each. */
  appended(poller: PollerRecord, afterMs: readonly number[]): void;
  /** The platform did not keep all events. */
  gap(poller: PollerRecord): void;
  /** An error after which the work continues by itself. `poller` is `null` if the error concerns all of them. */
  fault(error: unknown, poller: PollerRecord | null): void;
}

/** One run of a poller by this process. All parts of the run share it. */
export class PollerRun {
  /** A poll and the queueing of waiting messages exclude each other: each relies on what the other has stored. */
  readonly turn = new Semaphore(1);
  readonly #monitor: PollerMonitor;
  /** Resolves when the store refuses a write, because another process runs the poller. */
  readonly superseded: Promise<void>;
  #resolveSuperseded = (): void => {};
  #record: PollerRecord;
  #isStopped = false;

  constructor(record: PollerRecord, monitor: PollerMonitor) {
    this.#monitor = monitor;
    this.#record = record;
    this.renew(record);
    this.superseded = new Promise((resolve) => {
      this.#resolveSuperseded = resolve;
    });
  }

  get record(): PollerRecord {
    return this.#record;
  }

  /** True while the platform is not asked, because it refuses the credentials. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The record was read again. */
  renew(record: PollerRecord): void {
    this.#record = record;
    this.#isStopped = record.stopped !== null;
  }

  stop(): void {
    this.#isStopped = true;
  }

  supersede(): void {
    this.#resolveSuperseded();
  }

  readonly fault = (error: unknown): void => this.#monitor.fault(error, this.#record);
}
