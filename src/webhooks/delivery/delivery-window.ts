import { eventTtlMs, type WaitingDelivery } from '../../store/port.ts';

/** The maximum number of deliveries of one window in memory. The store has the others. */
export const maxInMemory = 200;

export type QueuedDelivery = Pick<WaitingDelivery, 'event' | 'poller' | 'attempts' | 'eventAt'> & {
  nextAt: number;
  replayed: boolean;
};

/** The deliveries of one webhook that become due first, either live or replayed. Later deliveries are only in the store. */
export class DeliveryWindow {
  readonly concurrency: number;
  inFlight = 0;
  readonly #waiting = new Map<string, QueuedDelivery>();
  /** The time at which the first delivery that is only in the store becomes due. */
  #storedDueAt = Number.NEGATIVE_INFINITY;

  constructor(concurrency: number) {
    this.concurrency = concurrency;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** Adds a delivery. If the window is full, drops the delivery that is due last, which stays in the store. */
  add(delivery: QueuedDelivery): void {
    this.#waiting.set(delivery.event, delivery);
    if (this.#waiting.size <= maxInMemory) return;
    let last = delivery;
    for (const each of this.#waiting.values()) if (each.nextAt > last.nextAt) last = each;
    this.#waiting.delete(last.event);
    this.#storedDueAt = Math.min(this.#storedDueAt, last.nextAt);
  }

  clear(): void {
    this.#waiting.clear();
  }

  remove(event: string): QueuedDelivery | undefined {
    const found = this.#waiting.get(event);
    this.#waiting.delete(event);
    return found;
  }

  /** Returns true if a delivery is due and another attempt may run. */
  hasDue(now: number): boolean {
    if (this.inFlight >= this.concurrency) return false;
    for (const { nextAt } of this.#waiting.values()) if (nextAt <= now) return true;
    return false;
  }

  /** Removes and returns a due delivery. Returns `undefined` if no delivery is due or no other attempt may run. */
  takeDue(now: number): QueuedDelivery | undefined {
    if (this.inFlight >= this.concurrency) return undefined;
    for (const delivery of this.#waiting.values()) {
      if (delivery.nextAt > now) continue;
      this.#waiting.delete(delivery.event);
      if (now - delivery.eventAt < eventTtlMs) return delivery;
    }
    return undefined;
  }

  /** Returns the time at which the next delivery becomes due, not counting deliveries that are due already. */
  nextDueAt(now: number): number {
    let nextDueAt = this.#storedDueAt > now ? this.#storedDueAt : Number.POSITIVE_INFINITY;
    for (const { nextAt } of this.#waiting.values()) if (nextAt > now && nextAt < nextDueAt) nextDueAt = nextAt;
    return nextDueAt;
  }

  /** Returns true if the store may have more due deliveries and the window has space for them. */
  needsLoad(now: number): boolean {
    if (this.#storedDueAt > now) return false;
    let due = 0;
    for (const { nextAt } of this.#waiting.values()) if (nextAt <= now) due += 1;
    return due < maxInMemory / 2;
  }

  /** Records that the store may have deliveries that are due at `at` or later. */
  setStoredDueAt(at: number): void {
    this.#storedDueAt = Math.min(this.#storedDueAt, at);
  }

  /** Must be called before the first due deliveries are read from the store. */
  beginLoad(): void {
    this.#storedDueAt = Number.POSITIVE_INFINITY;
  }
}
