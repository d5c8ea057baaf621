import type { DeliveryAttempt } from '../../shared/observability/tracing.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { Semaphore } from '../../shared/runtime/semaphore.ts';
import type { PollerRecord, Store } from '../../store/port.ts';
import type { WebhookContext, WebhookVault } from '../shared/secrets.ts';

/** One delivery attempt. The last two fields are milliseconds since the event was stored; `null` if the attempt is not measured. */
export interface AttemptReport extends DeliveryAttempt {
  firstAfterMs: number | null;
  deliveredAfterMs: number | null;
}

/**
 * Receives reports from pollers and delivery queues for the log, metrics and live streams. The reports are callbacks instead of return
 * values, because the work is started by timers and no caller waits for it. The callbacks return nothing, so the work does not depend on
 * its observers.
 */
export interface PollerMonitor {
  attempted(attempt: AttemptReport): void;
  /** Reports that events were stored. `afterMs` is the age of each event according to the platform's time. */
  appended(poller: PollerRecord, afterMs: readonly number[]): void;
  /** Reports that the platform no longer has all events. */
  gap(poller: PollerRecord): void;
  /** Reports an error after which the work continues. `poller` is `null` if the error affects all pollers. */
  failed(error: unknown, poller: PollerRecord | null): void;
}

/** One run of a poller by this process: its record, and what all parts of the run use. */
export class PollerRun {
  readonly store: Store;
  readonly vault: WebhookVault;
  readonly runtime: Runtime;
  readonly monitor: PollerMonitor;
  /** Held while events are appended or waiting messages are queued, because each relies on data that the other stores. */
  readonly appending = new Semaphore(1);
  /** Resolves when the store refuses a write because another process has taken over the poller. */
  readonly superseded: Promise<void>;
  #resolveSuperseded = (): void => {};
  #record: PollerRecord;
  #isStopped = false;

  constructor(record: PollerRecord, { store, vault, runtime, monitor }: WebhookContext & { monitor: PollerMonitor }) {
    this.store = store;
    this.vault = vault;
    this.runtime = runtime;
    this.monitor = monitor;
    this.#record = record;
    this.renew(record);
    this.superseded = new Promise((resolve) => {
      this.#resolveSuperseded = resolve;
    });
  }

  get record(): PollerRecord {
    return this.#record;
  }

  /** True while the platform is not polled because it refuses the credentials. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Updates the record after it was read again. */
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

  readonly failure = (error: unknown): void => this.monitor.failed(error, this.#record);
}
