import { isConnectionFailure, PosternError } from '../../shared/errors/postern-error.ts';
import type { LiveStream, MessageEvent, StreamItem } from '../../shared/model/event.ts';
import { isMessageType, isTweetEventType, type WebhookEventType } from '../../shared/model/event.ts';
import { sleep } from '../../shared/runtime/runtime.ts';
import { turn } from '../../shared/runtime/turns.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { accountEventRow, type NewPoller, type StoredEventRecord } from '../../store/port.ts';
import {
  isCodeRefusal,
  isFinal,
  type MessageOpener,
  type OpenedMessage,
  type Opening,
} from '../shared/message-opener.ts';
import type { CredentialResolver } from '../shared/platform-access.ts';
import type { WebhookContext } from '../shared/secrets.ts';
import { gapType, messageBody, readGap, tweetOf, unpackEvent } from '../shared/stored-event.ts';
import { EventFeed, EventReader } from './event-feed.ts';

const retryMs = 2_000;
/** After this many attempts to open a message, the stream reports a gap and continues. */
const maxTries = 4;

export interface StreamRequest {
  poller: NewPoller;
  /** The event types to send; `null` for all types but those of account events. */
  types: readonly WebhookEventType[] | null;
  /** The id of the last event that the reader has. If it is `null`, the stream begins with new events. */
  after: string | null;
  /** The account and code that open messages. A stream without a code contains no messages. */
  opening: Opening | null;
}

export interface LiveStreamsParts extends WebhookContext {
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
    this.#feeds.get(poller)?.wake();
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
    const messages = new StreamMessages(this.#parts, opening, ended);
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
    let isCaughtUp = false;
    while (!ended.aborted) {
      let events = isCaughtUp ? await feed.after(place) : null;
      if (events === null) ({ events, isLast: isCaughtUp } = await this.#reader.after(poller, place));
      for (const event of events) {
        if (ended.aborted) return;
        // Lets other work run, because decrypting a large event takes a millisecond and many streams may do so
        // together.
        await turn();
        place = event.place;
        yield event;
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

/** Opens the messages of one stream with the stream's code. */
class StreamMessages {
  readonly #parts: LiveStreamsParts;
  readonly #opening: Opening | null;
  readonly #ended: AbortSignal;
  #isRefused = false;

  constructor(parts: LiveStreamsParts, opening: Opening | null, ended: AbortSignal) {
    this.#parts = parts;
    this.#opening = opening;
    this.#ended = ended;
  }

  /**
   * Returns the stream item for an event. Returns `null` if the stream does not include the event. If the code is refused, the stream
   * reports one gap and contains no more messages.
   */
  async itemOf(
    { id, sealed }: StoredEventRecord,
    types: readonly WebhookEventType[] | null,
  ): Promise<StreamItem | null> {
    const opening = this.#opening;
    if (opening === null || this.#isRefused || (types && !types.some(isMessageType))) return null;
    const { message } = unpackEvent(this.#parts.vault.openBody(opening.account, id, sealed));
    if (message === null) return null;
    try {
      const opened = await this.#open(opening, message);
      if (!opened || types?.includes(opened.type) === false) return null;
      return { kind: 'event', id, type: opened.type, body: messageBody(id, message, opened) };
    } catch (error) {
      if (!(error instanceof PosternError)) throw error;
      this.#isRefused = isCodeRefusal(error);
      const what = this.#isRefused ? 'Messages are not opened any more' : 'A message could not be opened';
      return { kind: 'gap', id, reason: `${what}: ${error.message}` };
    }
  }

  /** Opens a message. Retries temporary errors for as long as the other events of the stream can wait. */
  async #open(opening: Opening, message: MessageEvent): Promise<OpenedMessage | null> {
    const { opener, runtime } = this.#parts;
    for (let tries = 1; ; tries++) {
      try {
        return (await opener.open(opening, [message]))[0] ?? null;
      } catch (error) {
        if (isFinal(error) || tries === maxTries || this.#ended.aborted) throw error;
        await sleep(runtime, retryMs);
      }
    }
  }
}
