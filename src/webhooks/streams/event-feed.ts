import { type Runtime, repeat, type Timer } from '../../shared/runtime/runtime.ts';
import { FairQueue } from '../../shared/threads/fair-queue.ts';
import type { NewPoller, Store, StoredEventRecord } from '../../store/port.ts';

/** The time in milliseconds for which a poller continues after its last stream has closed. */
const keptMs = 5 * 60_000;
/** The interval in milliseconds at which the store is read for events that another process appended. */
const readMs = 1_000;
const eventsAtOnce = 100;
/** The maximum number of events in the buffer of a feed. A stream that falls further behind reads the store itself. */
const maxBuffered = 2 * eventsAtOnce;
/**
 * The maximum size of these events, and of those of one read, in encrypted characters. An account may have 2,000
 * streams, and a stream with a slow reader keeps the events of its last read.
 */
const maxBufferedChars = 64 * 1_024;

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
      this.#store.events.after(account, id, place, eventsAtOnce, maxBufferedChars),
    );
    const chars = read.reduce((sum, { sealed }) => sum + sealed.length, 0);
    return { events: read, isLast: read.length < eventsAtOnce && chars < maxBufferedChars };
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
  #poller: NewPoller;
  #streams = 0;
  #keeping: Timer | undefined;
  /** The events after position `#from`, up to position `#upTo`. */
  #buffer: StoredEventRecord[] = [];
  #from = 0;
  #upTo = 0;
  #reading: Promise<void> | null = null;
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
    this.wake();
    if (this.#streams > 0) return false;
    this.#keeping?.cancel();
    this.#keeping = undefined;
    await this.#keep().catch(() => {});
    return this.#streams === 0;
  }

  /** Must be called when the poller has appended events in this process. Reads them at once. */
  wake(): void {
    this.#hasNews = true;
    this.#wake();
  }

  /**
   * Returns the events after position `place`. If there are none, waits for some time. Returns `null` if the feed no longer has all of them;
   * the stream must then read the store itself. Throws errors of the store and of `check`.
   */
  async after(place: number): Promise<StoredEventRecord[] | null> {
    if (!this.#reading && place > this.#upTo) [this.#buffer, this.#from, this.#upTo] = [[], place, place];
    if (place >= this.#upTo) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
    return place < this.#from ? null : this.#buffer.filter((event) => event.place > place);
  }

  #keep(): Promise<void> {
    const { store } = this.#parts;
    return store.pollers.keepForStream(this.#poller, store.now() + keptMs);
  }

  async #read(): Promise<void> {
    this.#hasNews = false;
    const { reader, check } = this.#parts;
    const { events } = await reader.after(this.#poller, this.#upTo);
    await check();
    this.#buffer.push(...events);
    this.#upTo = events.at(-1)?.place ?? this.#upTo;
    let chars = this.#buffer.reduce((sum, { sealed }) => sum + sealed.length, 0);
    while (this.#buffer.length > maxBuffered || chars > maxBufferedChars) {
      const dropped = this.#buffer.shift();
      chars -= dropped?.sealed.length ?? 0;
      this.#from = dropped?.place ?? this.#upTo;
    }
    if (events.length === 0) await this.#news();
  }

  /** Resolves when there may be new events. */
  async #news(): Promise<void> {
    if (this.#hasNews) return;
    await new Promise<void>((resolve) => {
      const timer = this.#parts.runtime.after(readMs, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
