import type { Micros } from '../shared/model/money.ts';

/** A commit of the ledger that took the credit of an account below its threshold. It is stored until its deliveries are queued. */
export interface LowCreditEvent {
  /** The id of the event. It is derived from the id of the commit. */
  id: string;
  account: string;
  /** The time of the commit by the store's clock. */
  at: number;
  /** `paid − charged` after the commit. */
  credit: Micros;
  threshold: Micros;
}

export interface AccountEventStore {
  /** Returns the events of all accounts whose deliveries are not queued yet, oldest first. */
  waiting(limit: number): Promise<LowCreditEvent[]>;
  /**
   * Stores the content of an event with a delivery for each of these webhooks, due at once, and notifies their pollers. The event is then no
   * longer waiting. No live stream contains it. Deliveries to deleted webhooks are ignored. If the call fails midway, a repeated call queues
   * the rest. If the event no longer waits, nothing changes.
   */
  queue(event: LowCreditEvent, type: string, sealed: string, webhooks: readonly string[]): Promise<void>;
}
