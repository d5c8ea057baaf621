import { eventTtlMs, type WaitingDelivery } from '../../store/port.ts';

/** How many deliveries of one window are kept in memory. The store has the rest. */
export const keptInMemory = 200;

export type QueuedDelivery = Pick<WaitingDelivery, 'event' | 'attempts' | 'eventAt'> & {
  nextAt: number;
  replayed: boolean;
  /** The bytes to send, or their sealed form. */
  body: string | { sealed: string };
};

/** The deliveries of one webhook that are due first, either live or replayed ones. The others are only in the store. */
export class DeliveryWindow {
  readonly atOnce: number;
  inFlight = 0;
  readonly #waiting = new Map<string, QueuedDelivery>();
  /** When the first delivery that is only in the store is due. */
  #restAt = Number.NEGATIVE_INFINITY;

  constructor(atOnce: number) {
    this.atOnce = atOnce;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** Adds a delivery. If there are too many, drops the one that is due last; the store still has it. */
  add(delivery: QueuedDelivery): void {
    this.#waiting.set(delivery.event, delivery);
    if (this.#waiting.size <= keptInMemory) return;
    let last = delivery;
    for (const each of this.#waiting.values()) if (each.nextAt > last.nextAt) last = each;
    this.#waiting.delete(last.event);
    this.#restAt = Math.min(this.#restAt, last.nextAt);
  }

  remove(event: string): QueuedDelivery | undefined {
    const found = this.#waiting.get(event);
    this.#waiting.delete(event);
    return found;
  }

  /** Returns whether a delivery is due and another attempt may run. */
  canTake(now: number): boolean {
    if (this.inFlight >= this.atOnce) return false;
    for (const { nextAt } of this.#waiting.values()) if (nextAt <= now) return true;
    return false;
  }

  /** Removes and returns a delivery that is due, if another attempt may run. */
  take(now: number): QueuedDelivery | undefined {
    if (this.inFlight >= this.atOnce) return undefined;
    for (const delivery of this.#waiting.values()) {
      if (delivery.nextAt > now) continue;
      this.#waiting.delete(delivery.event);
      if (now - delivery.eventAt < eventTtlMs) return delivery;
    }
    return undefined;
  }

  /** Returns when the next delivery becomes due, not counting those due now. */
  soonest(now: number): number {
    let soonest = this.#restAt > now ? this.#restAt : Number.POSITIVE_INFINITY;
    for (const { nextAt } of this.#waiting.values()) if (nextAt > now && nextAt < soonest) soonest = nextAt;
    return soonest;
  }

  /** Returns whether more deliveries can be due in the store and fit into the window. */
  wantsMore(now: number): boolean {
    if (this.#restAt > now) return false;
    let due = 0;
    for (const { nextAt } of this.#waiting.values()) if (nextAt <= now) due += 1;
    return due < keptInMemory / 2;
  }

  /** The store may have deliveries that are due from `at` on. */
  restFrom(at: number): void {
    this.#restAt = Math.min(this.#restAt, at);
  }

  /** To be called before the deliveries due first are read from the store. */
  asking(): void {
    this.#restAt = Number.POSITIVE_INFINITY;
  }
}
