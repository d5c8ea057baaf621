import { type Runtime, repeat, type Timer } from '../../shared/runtime/runtime.ts';
import type { NewPoller, Store, StoredEventRecord } from '../../store/port.ts';

/** How long a poller runs on after its last stream closed. */
const keptMs = 5 * 60_000;
/** How often the store is read for events that another process appended. */
const lookMs = 1_000;
/** Events that are read at a time. */
export const eventsAtOnce = 100;
/** A stream that has more events to take reads the store by itself again. */
const mostBuffered = 2 * eventsAtOnce;

/** The events that one stream takes from a feed. */
export class Subscription {
  readonly #after: number;
  readonly #buffer: StoredEventRecord[] = [];
  #over = false;
  #error: unknown;
  #wake = () => {};

  /** `after`: the place of the last event that the stream has. */
  constructor(after: number) {
    this.#after = after;
  }

  /** Adds an event. Returns false if the stream is too far behind and has to read the store by itself. */
  push(event: StoredEventRecord): boolean {
    if (event.place <= this.#after) return true;
    if (this.#buffer.push(event) > mostBuffered) this.end();
    this.#wake();
    return !this.#over;
  }

  end(error?: unknown): void {
    this.#over = true;
    this.#error = error;
    this.#wake();
  }

  /**
   * Returns the next event; `null` after the end. Events that were not taken by then have to be read again. Throws the error
   * of the store.
   */
  async next(): Promise<StoredEventRecord | null> {
    while (!this.#over && this.#buffer.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#error !== undefined) throw this.#error;
    return this.#over ? null : (this.#buffer.shift() ?? null);
  }
}

export interface FeedParts {
  store: Store;
  runtime: Runtime;
}

/**
 * Reads the new events of one poller for all streams that are open on it in this process, and keeps the poller running
 * meanwhile. It reads only while at least one stream has caught up with it.
 */
export class EventFeed {
  readonly #parts: FeedParts;
  readonly #subscriptions = new Set<Subscription>();
  #poller: NewPoller;
  #streams = 0;
  #keeping: Timer | undefined;
  /** All events up to this place have been handed out. */
  #place = 0;
  #isReading = false;
  #hasNews = false;
  #wake = () => {};

  constructor(poller: NewPoller, parts: FeedParts) {
    this.#poller = poller;
    this.#parts = parts;
  }

  /** To be called when a stream opens. Creates the poller if there is none. */
  async join(poller: NewPoller): Promise<void> {
    this.#poller = poller;
    this.#streams += 1;
    this.#keeping ??= repeat(this.#parts.runtime, keptMs / 5, () => this.#keep().catch(() => {}));
    await this.#keep();
  }

  /**
   * To be called when a stream ends. Returns true if it was the last one. The poller continues for a while, for a reader
   * that reconnects.
   */
  async leave(): Promise<boolean> {
    this.#streams -= 1;
    if (this.#streams > 0) return false;
    this.#keeping?.cancel();
    this.#keeping = undefined;
    await this.#keep().catch(() => {});
    return this.#streams === 0;
  }

  /** To be called when the poller has appended events in this process. */
  appended(): void {
    this.#hasNews = true;
    this.#wake();
  }

  /**
   * Subscribes to all events after `place`. Returns `null` if the feed is further ahead: then the stream has to read the
   * store by itself.
   */
  subscribe(place: number): Subscription | null {
    if (!this.#isReading) this.#place = place;
    if (this.#place > place) return null;
    const subscription = new Subscription(place);
    this.#subscriptions.add(subscription);
    if (!this.#isReading) void this.#read();
    return subscription;
  }

  unsubscribe(subscription: Subscription): void {
    subscription.end();
    this.#subscriptions.delete(subscription);
  }

  #keep(): Promise<void> {
    const { store } = this.#parts;
    return store.pollers.keepForStream(this.#poller, store.now() + keptMs);
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    const { account, id } = this.#poller;
    while (this.#subscriptions.size > 0) {
      this.#hasNews = false;
      try {
        const events = await this.#parts.store.events.after(account, id, this.#place, eventsAtOnce);
        for (const event of events) this.#handOut(event);
        if (events.length < eventsAtOnce) await this.#news();
      } catch (error) {
        for (const subscription of this.#subscriptions) subscription.end(error);
        this.#subscriptions.clear();
      }
    }
    this.#isReading = false;
  }

  #handOut(event: StoredEventRecord): void {
    this.#place = event.place;
    for (const subscription of this.#subscriptions) {
      if (!subscription.push(event)) this.#subscriptions.delete(subscription);
    }
  }

  async #news(): Promise<void> {
    if (this.#hasNews) return;
    await new Promise<void>((resolve) => {
      const timer = this.#parts.runtime.after(lookMs, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
