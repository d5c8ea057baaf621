import { type Runtime, repeat, type Timer } from '../../shared/runtime/runtime.ts';
import { FairQueue } from '../../shared/threads/fair-queue.ts';
import type { NewPoller, Store, StoredEventRecord } from '../../store/port.ts';

/** The time in milliseconds for which a poller continues after its last stream has closed. */
const keptMs = 5 * 60_000;
/** The interval in milliseconds at which the store is read for events that another process appended. */
const lookMs = 1_000;
/** The number of events in one read. */
const eventsAtOnce = 100;
/** The maximum number of events in the buffer of a stream. A stream that falls further behind reads the store itself. */
const mostBuffered = 2 * eventsAtOnce;
/**
 * The maximum size of these events, and of those of one read, in encrypted characters. An account may have 2,000
 * streams, and a stream with a slow reader keeps the events of its last read.
 */
const mostBufferedChars = 64 * 1_024;

/** Reads the events of pollers for all streams of this process. */
export class EventReader {
  readonly #store: Store;
  /** The limits are low, because the embedded store sends the results of simultaneous reads in one message. */
  readonly #reads = new FairQueue({ running: 16, runningOfAccount: 8 });

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads the next events of a poller. `isLast` is false if there may be more. */
  async after({ account, id }: NewPoller, place: number): Promise<{ events: StoredEventRecord[]; isLast: boolean }> {
    const read = await this.#reads.run({ account, weight: 1, signal: null }, () =>
      this.#store.events.after(account, id, place, eventsAtOnce, mostBufferedChars),
    );
    const chars = read.reduce((sum, { sealed }) => sum + sealed.length, 0);
    return { events: read, isLast: read.length < eventsAtOnce && chars < mostBufferedChars };
  }
}

/** The events that one stream receives from a feed. */
class Subscription {
  readonly #after: number;
  readonly #buffer: StoredEventRecord[] = [];
  #bufferedChars = 0;
  #over = false;
  #error: unknown;
  #wake = () => {};

  /** `after` is the position of the last event that the stream has. */
  constructor(after: number) {
    this.#after = after;
  }

  /** Adds an event. Returns false if the stream is too far behind and must read the store itself. */
  push(event: StoredEventRecord): boolean {
    if (event.place <= this.#after) return true;
    this.#bufferedChars += event.sealed.length;
    if (this.#buffer.push(event) > mostBuffered || this.#bufferedChars > mostBufferedChars) this.end();
    this.#wake();
    return !this.#over;
  }

  end(error?: unknown): void {
    this.#over = true;
    this.#error = error;
    this.#wake();
  }

  /**
   * Returns the next event. Returns `null` after the subscription has ended; the stream must then read the remaining events from the store.
   * Throws errors of the store.
   */
  async next(): Promise<StoredEventRecord | null> {
    while (!this.#over && this.#buffer.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#error !== undefined) throw this.#error;
    if (this.#over) return null;
    const event = this.#buffer.shift() ?? null;
    this.#bufferedChars -= event?.sealed.length ?? 0;
    return event;
  }
}

export interface FeedParts {
  store: Store;
  reader: EventReader;
  runtime: Runtime;
  /** Throws if the streams must end. */
  check: () => Promise<void>;
}

/**
 * Reads the new events of one poller for all its streams in this process, and keeps the poller running. Reads only while at least one
 * stream has caught up with the feed.
 */
export class EventFeed {
  readonly #parts: FeedParts;
  readonly #subscriptions = new Set<Subscription>();
  #poller: NewPoller;
  #streams = 0;
  #keeping: Timer | undefined;
  /** All events up to this position were sent to the subscriptions. */
  #place = 0;
  #isReading = false;
  #hasNews = false;
  #wake = () => {};

  constructor(poller: NewPoller, parts: FeedParts) {
    this.#poller = poller;
    this.#parts = parts;
  }

  /** Must be called when a stream opens. Creates the poller if it does not exist. */
  async join(poller: NewPoller): Promise<void> {
    this.#poller = poller;
    this.#streams += 1;
    this.#keeping ??= repeat(this.#parts.runtime, keptMs / 5, () => this.#keep().catch(() => {}));
    await this.#keep();
  }

  /**
   * Must be called when a stream ends. Returns true if it was the last one. The poller continues for a while, because the reader may
   * reconnect.
   */
  async leave(): Promise<boolean> {
    this.#streams -= 1;
    if (this.#streams > 0) return false;
    this.#keeping?.cancel();
    this.#keeping = undefined;
    await this.#keep().catch(() => {});
    return this.#streams === 0;
  }

  /** Must be called when the poller has appended events in this process. */
  appended(): void {
    this.#hasNews = true;
    this.#wake();
  }

  /**
   * Subscribes to all events after position `place`. Returns `null` if the feed is further ahead; the stream must then read the store
   * itself.
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
    while (this.#subscriptions.size > 0) {
      this.#hasNews = false;
      try {
        const { events, isLast } = await this.#parts.reader.after(this.#poller, this.#place);
        for (const event of events) this.#handOut(event);
        if (isLast) await this.#news();
        await this.#parts.check();
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
