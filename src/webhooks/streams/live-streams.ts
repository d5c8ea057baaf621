import { isConnectionFailure } from '../../shared/errors/postern-error.ts';
import type { LiveStream, StreamItem } from '../../shared/model/event.ts';
import { isMessageType, isTweetEventType, type WebhookEventType } from '../../shared/model/event.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { turn } from '../../shared/runtime/turns.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { accountEventRow, type NewPoller, type Store, type StoredEventRecord } from '../../store/port.ts';
import type { MessageOpener, Opening } from '../shared/message-opener.ts';
import type { CredentialResolver } from '../shared/platform-access.ts';
import type { WebhookVault } from '../shared/secrets.ts';
import { gapType, readGap, tweetOf } from '../shared/stored-event.ts';
import { EventFeed, EventReader } from './event-feed.ts';
import { StreamMessages } from './stream-messages.ts';

export interface StreamRequest {
  poller: NewPoller;
  /** The event types to send; `null` for all types but those of account events. */
  types: readonly WebhookEventType[] | null;
  /** The id of the last event that the reader has. If it is `null`, the stream begins with new events. */
  after: string | null;
  /** The account and code that open messages. A stream without a code contains no messages. */
  opening: Opening | null;
}

export interface LiveStreamsParts {
  store: Store;
  vault: WebhookVault;
  runtime: Runtime;
  opener: MessageOpener;
  logins: CredentialResolver;
}

interface StreamStart {
  place: number;
  gap: string | null;
  /** The tweet of the reader's last event; `null` if that event is not about a tweet by another user. */
  tweet: string | null;
}

/**
 * Serves live streams with the same events that webhooks of the actor receive. Events are read from the store, so that any process can
 * serve a stream. A stream reads the store itself until it has caught up. It then shares the feed of its poller with other streams.
 */
export class LiveStreams {
  readonly #parts: LiveStreamsParts;
  readonly #reader: EventReader;
  /** The feeds by the id of their poller. */
  readonly #feeds = new Map<string, EventFeed>();
  readonly #ends = new Set<() => void>();

  constructor(parts: LiveStreamsParts) {
    this.#parts = parts;
    this.#reader = new EventReader(parts.store);
  }

  get size(): number {
    return this.#ends.size;
  }

  /** Must be called when a poller of this process has appended events. */
  appended(poller: string): void {
    this.#feeds.get(poller)?.appended();
  }

  /**
   * Opens a stream. It contains all events that happen after this method has returned. The caller must end it in every case. Throws errors
   * of the store.
   */
  async open(request: StreamRequest): Promise<LiveStream> {
    const { poller } = request;
    const check = this.#checkOf(poller);
    const feed = this.#feeds.get(poller.id) ?? new EventFeed(poller, { ...this.#parts, reader: this.#reader, check });
    this.#feeds.set(poller.id, feed);
    const controller = new AbortController();
    const end = () => {
      if (!this.#ends.delete(end)) return;
      controller.abort();
      void this.#leave(poller.id, feed);
    };
    this.#ends.add(end);
    try {
      await feed.join(poller);
      const start = await this.#startOf(request);
      return { items: this.#read(request, start, feed, controller.signal), end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Ends all streams. */
  close(): void {
    for (const end of [...this.#ends]) end();
  }

  /** Returns a function that throws if the connection of the poller does not work any more. */
  #checkOf(poller: NewPoller): () => Promise<void> {
    const { vault, logins } = this.#parts;
    const { account } = poller;
    const authToken = new Secret(vault.openPoller(poller).authToken);
    return async () => {
      try {
        await logins.credentialOf({ account, authToken, signal: null });
      } catch (error) {
        if (isConnectionFailure(error)) throw error;
      }
    };
  }

  async #leave(pollerId: string, feed: EventFeed): Promise<void> {
    const wasLast = await feed.leave();
    if (wasLast && this.#feeds.get(pollerId) === feed) this.#feeds.delete(pollerId);
  }

  /** Returns the position after which the stream begins, and the reason why events before it may be missing, if there is one. */
  async #startOf({ poller, after }: StreamRequest): Promise<StreamStart> {
    const { store, vault } = this.#parts;
    const { account, id } = poller;
    if (after === null) return { place: await store.events.lastPlace(account, id), gap: null, tweet: null };
    const [known, sealed] = await Promise.all([
      store.events.place(account, id, after),
      store.events.sealed(account, id, after),
    ]);
    if (!known || sealed === null) {
      const gap = 'Events may be missing, because the last event that you have is no longer stored';
      return { place: 0, gap, tweet: null };
    }
    const tweet = tweetOf(vault.openBody(account, after, sealed));
    return { place: known.place, gap: await this.#missedSince(known.at, poller), tweet };
  }

  /** Yields events until `ended` is aborted. A slow reader does not delay other streams. */
  async *#read(
    { poller, types, opening }: StreamRequest,
    { place, gap, tweet: last }: StreamStart,
    feed: EventFeed,
    ended: AbortSignal,
  ): AsyncGenerator<StreamItem> {
    const { vault } = this.#parts;
    const { account } = poller;
    const messages = new StreamMessages({ ...this.#parts, opening, ended });
    let tweet = last;
    if (gap !== null) yield { kind: 'gap', id: null, reason: gap };
    for await (const event of this.#events(poller, place, feed, ended)) {
      if (ended.aborted) return;
      const open = ({ id: eventId, sealed }: StoredEventRecord) => vault.openBody(account, eventId, sealed);
      const isMessage = isMessageType(event.type) && event.type !== accountEventRow;
      const item = isMessage ? await messages.itemOf(event, types) : itemOf(event, types, open);
      if (!item) continue;
      // The events of a tweet follow one another, and the reader gets only the first one that it subscribes to.
      const next = isTweetEventType(event.type) && item.kind === 'event' ? tweetOf(item.body) : null;
      if (next !== null && next === tweet) continue;
      tweet = next ?? tweet;
      yield item;
    }
  }

  /** Returns the reason why events after the time `at` may be missing. Returns `null` if the store has all of them. */
  async #missedSince(at: number, { account, id }: NewPoller): Promise<string | null> {
    const poller = await this.#parts.store.pollers.find(account, id);
    // The poller was created again after it had been deleted because no webhook and no stream used it (`webhook-port.ts`).
    return poller && poller.createdAt > at
      ? 'Events may be missing, because nobody listened for some time after the last event that you have'
      : null;
  }

  /**
   * Yields all events after position `place`, first from the store until the stream has caught up, then from the feed while the stream
   * keeps up.
   */
  async *#events(
    poller: NewPoller,
    after: number,
    feed: EventFeed,
    ended: AbortSignal,
  ): AsyncGenerator<StoredEventRecord> {
    let place = after;
    while (!ended.aborted) {
      const { events, isLast } = await this.#reader.after(poller, place);
      for (const event of events) {
        // Lets other work run, because decrypting a large event takes a millisecond and many streams may do so
        // together.
        await turn();
        place = event.place;
        yield event;
      }
      const subscription = isLast && !ended.aborted ? feed.subscribe(place) : null;
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
  types: readonly WebhookEventType[] | null,
  open: (event: StoredEventRecord) => string,
): StreamItem | null {
  const { id, type } = event;
  if (type === gapType) return { kind: 'gap', id, reason: readGap(open(event)) };
  if (type === accountEventRow) {
    const body = open(event);
    const { type: listed } = JSON.parse(body) as { type: WebhookEventType };
    return types?.includes(listed) ? { kind: 'event', id, type: listed, body } : null;
  }
  if (types && !types.some((wanted) => wanted === type)) return null;
  return { kind: 'event', id, type, body: open(event) };
}
