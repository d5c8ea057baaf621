import type { LiveStream, StreamItem } from '../../shared/model/event.ts';
import { type EventType, isMessageType } from '../../shared/model/event.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { NewPoller, Store, StoredEventRecord } from '../../store/port.ts';
import type { MessageOpener, Opening } from '../shared/message-opener.ts';
import type { WebhookVault } from '../shared/secrets.ts';
import { gapType, readGap } from '../shared/stored-event.ts';
import { EventFeed, eventsAtOnce } from './event-feed.ts';
import { StreamMessages } from './stream-messages.ts';

export interface StreamRequest {
  poller: NewPoller;
  /** The types to send; `null`: all. */
  types: readonly EventType[] | null;
  /** The id of the last event that the reader has; `null`: the stream begins with new events. */
  after: string | null;
  /** The code that opens messages. Without it the stream has no messages. */
  opening: Opening | null;
}

export interface LiveStreamsParts {
  store: Store;
  vault: WebhookVault;
  runtime: Runtime;
  opener: MessageOpener;
}

/**
 * Serves live streams of the events that webhooks of the same actor would get. The events are read from the store, so that any
 * process can serve a stream. A stream reads the store by itself until it has caught up, then shares the reader of its poller.
 */
export class LiveStreams {
  readonly #parts: LiveStreamsParts;
  /** The feeds by the id of their poller. */
  readonly #feeds = new Map<string, EventFeed>();
  readonly #ends = new Set<() => void>();

  constructor(parts: LiveStreamsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#ends.size;
  }

  /** To be called when a poller of this process has appended events. */
  appended(poller: string): void {
    this.#feeds.get(poller)?.appended();
  }

  /** Opens a stream, which must be ended in every case. */
  open(request: StreamRequest): LiveStream {
    const controller = new AbortController();
    const end = () => {
      controller.abort();
      this.#ends.delete(end);
    };
    this.#ends.add(end);
    return { items: this.#read(request, controller.signal), end };
  }

  /** Ends all streams. */
  close(): void {
    for (const end of [...this.#ends]) end();
  }

  /** Yields events until `ended` is aborted. A slow reader delays nobody else. */
  async *#read({ poller, types, after, opening }: StreamRequest, ended: AbortSignal): AsyncGenerator<StreamItem> {
    const { store, vault } = this.#parts;
    const { account, id } = poller;
    const messages = new StreamMessages({ ...this.#parts, opening, ended });
    const feed = this.#feeds.get(id) ?? new EventFeed(poller, this.#parts);
    this.#feeds.set(id, feed);
    try {
      await feed.join(poller);
      const known = after === null ? null : await store.events.place(account, id, after);
      const place = known?.place ?? (after === null ? await store.events.lastPlace(account, id) : 0);
      if (after !== null) {
        const reason = known
          ? await this.#missedSince(known.at, poller)
          : 'The last event that you have is not kept any more';
        if (reason !== null) yield { kind: 'gap', id: null, reason };
      }
      for await (const event of this.#events(poller, place, feed, ended)) {
        if (ended.aborted) return;
        const item = isMessageType(event.type)
          ? await messages.itemOf(event, types)
          : itemOf(event, types, ({ id, sealed }) => vault.openBody(account, id, sealed));
        if (item) yield item;
      }
    } finally {
      const wasLast = await feed.leave();
      if (wasLast && this.#feeds.get(id) === feed) this.#feeds.delete(id);
    }
  }

  /** Returns why events after the time `at` may be missing; `null` if all are kept. */
  async #missedSince(at: number, { account, id }: NewPoller): Promise<string | null> {
    const poller = await this.#parts.store.pollers.find(account, id);
    // The poller was created again, because no webhook or stream had kept it (`webhook-port.ts`).
    return poller && poller.createdAt > at ? 'For a while after the last event that you have, nobody listened' : null;
  }

  /**
   * Yields all events after `place`: from the store until the stream has caught up, then from the feed while the stream
   * keeps up.
   */
  async *#events(
    { account, id }: NewPoller,
    after: number,
    feed: EventFeed,
    ended: AbortSignal,
  ): AsyncGenerator<StoredEventRecord> {
    let place = after;
    while (!ended.aborted) {
      const events = await this.#parts.store.events.after(account, id, place, eventsAtOnce);
      for (const event of events) {
        place = event.place;
        yield event;
      }
      const subscription = events.length < eventsAtOnce && !ended.aborted ? feed.subscribe(place) : null;
      if (!subscription) continue;
      const end = () => subscription.end();
      ended.addEventListener('abort', end, { once: true });
      try {
        for (let event = await subscription.next(); event !== null; event = await subscription.next()) {
          place = event.place;
          yield event;
        }
      } finally {
        ended.removeEventListener('abort', end);
        feed.unsubscribe(subscription);
      }
    }
  }
}

function itemOf(
  event: StoredEventRecord,
  types: readonly EventType[] | null,
  open: (event: StoredEventRecord) => string,
): StreamItem | null {
  const { id, type } = event;
  if (type === gapType) return { kind: 'gap', id, reason: readGap(open(event)) };
  if (types && !types.some((wanted) => wanted === type)) return null;
  return { kind: 'event', id, type, body: open(event) };
}
