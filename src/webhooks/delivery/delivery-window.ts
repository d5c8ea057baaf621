import { eventTtlMs, type WaitingDelivery } from '../../store/port.ts';

/** How many deliveries of one window are kept in memory. The store has the rest. */
export const keptInMemory = 200;

export type QueuedDelivery = Pick<WaitingDelivery, 'event' | 'attempts' | 'eventAt'> & {
  nextAt: number;
  replayed: boolean;
  /** The exact bytes, or what opens to them. */
  body: string | { sealed: string };
};

/** What waits for one webhook, of one kind: what is due first is in memory, the rest in the store alone. */
export class DeliveryWindow {
  readonly atOnce: number;
  inFlight = 0;
  readonly #waiting = new Map<string, QueuedDelivery>();
  /** When the first of what the store alone has is due. */
  #restAt = Number.NEGATIVE_INFINITY;

  constructor(atOnce: number) {
    this.atOnce = atOnce;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** Where there are too many, the one that is due last is left to the store. */
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

  /** Whether something is due, and not enough are under way. */
  canTake(now: number): boolean {
    if (this.inFlight >= this.atOnce) return false;
    for (const { nextAt } of this.#waiting.values()) if (nextAt <= now) return true;
    return false;
  }

  /** One that is due, unless enough are under way. */
  take(now: number): QueuedDelivery | undefined {
    if (this.inFlight >= this.atOnce) return undefined;
    for (const delivery of this.#waiting.values()) {
      if (delivery.nextAt > now) continue;
      this.#waiting.delete(delivery.event);
      if (now - delivery.eventAt < eventTtlMs) return delivery;
    }
    return undefined;
  }

  /** When something becomes due that is not due now. */
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

  /** Something may have been queued in the store, due from `at` on. */
  restFrom(at: number): void {
    this.#restAt = Math.min(this.#restAt, at);
  }

  /** The store is about to be asked for what is due first. */
  asking(): void {
    this.#restAt = Number.POSITIVE_INFINITY;
  }
}
