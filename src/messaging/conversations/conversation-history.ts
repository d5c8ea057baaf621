import type { PlatformMessages } from '../../platform/messages-port.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import { isSmaller } from '../../shared/model/conversation-id.ts';
import type { DirectMessage } from '../../shared/model/direct-message.ts';
import type { PlacedEvent } from '../../shared/model/sealed-event.ts';
import { isKeyChange } from '../encryption/index.ts';
import type { Actor } from './actor.ts';
import type { OpenConversation } from './open-conversation.ts';
import { isChange, MessageChanges, openAll, readMessage, withoutReplays } from './read-message.ts';
import { messageNotFound } from './refusals.ts';

/**
 * The maximum number of events that are read to find the messages of a page, or one message. X bills each event, and the
 * platform cannot tell messages from their changes.
 */
export const maxEventsRead = 500;
const greatestPage = 100;
/** The maximum number of pages of events in one search, because pages may be short or empty. */
const maxPages = 25;
/** The number of pages after which a later token is remembered. */
const pagesPerMark = 5;

type Token = string | null;

/** Where a page of messages begins. */
interface HistoryCursor {
  /** The sequence id of the last event that earlier pages have passed; empty for the first page. */
  before: string;
  /** The platform's token of the page of events that contains it. */
  start: Token;
  /** The tokens of earlier pages, up to ten and up to five pages back. */
  tenPagesBack: Token;
  fivePagesBack: Token;
  /** The number of pages since `fivePagesBack`. */
  pagesSinceMark: number;
}

const firstPage: HistoryCursor = {
  before: '',
  start: null,
  tenPagesBack: null,
  fivePagesBack: null,
  pagesSinceMark: 0,
};

export interface HistoryParts {
  messages: PlatformMessages;
  actor: Actor;
  nowMs: number;
}

/** Reads the messages of one conversation, newest first. The events that change a message come before it. */
export class ConversationHistory {
  readonly #parts: HistoryParts;
  readonly #open: OpenConversation;
  readonly #changes: MessageChanges;
  /** The changes that were read, by sequence id. */
  readonly #changing = new Map<string, PlacedEvent>();

  constructor(open: OpenConversation, parts: HistoryParts) {
    this.#open = open;
    this.#parts = parts;
    this.#changes = new MessageChanges(parts.actor.self.userId);
  }

  /** Returns a page of messages. It has fewer than `count` if it would need more than `mostEvents` events. */
  async page(count: number, cursor: Token, mostEvents = maxEventsRead) {
    const place = cursor === null ? firstPage : readCursor(cursor);
    if (cursor !== null) await this.#readChanges(cursor, place);
    const found: DirectMessage[] = [];
    let { before, start } = place;
    let token: Token = start;
    for (let read = 0, pages = 0; read < mostEvents && pages < maxPages; pages += 1) {
      // Most events are messages, so the first request asks for no more than are needed.
      const size = Math.max(count - found.length, 10 * pages);
      const events = await this.#read(token, Math.min(size, mostEvents - read));
      start = token;
      read += events.items.length;
      for await (const { event, opened } of this.#openAll(events.items)) {
        if (before !== '' && !isSmaller(event.seqId, before)) continue;
        if (opened.ok ? opened.value.kind === 'message' : !isKeyChange(event.encoded)) {
          if (found.length === count) return this.#result(found, { ...place, before, start });
          found.push(readMessage(event, opened, this.#changes, this.#parts.actor.self.userId));
        }
        before = event.seqId;
      }
      token = events.cursor;
      if (token === null) return { messages: withoutReplays(found), cursor: null };
      if (found.length === count) break;
    }
    return this.#result(found, { ...place, before, start: token });
  }

  /**
   * Returns the sender of a message, and whether it was deleted. Throws `not_found` if it is not among the newest events.
   */
  async find(seqId: string): Promise<{ senderId: string; isDeleted: boolean }> {
    let token: Token = null;
    for (let read = 0, pages = 0; read < maxEventsRead && pages < maxPages; pages += 1) {
      const events = await this.#read(token, Math.min(pages === 0 ? 20 : greatestPage, maxEventsRead - read));
      read += events.items.length;
      for await (const { event, opened } of this.#openAll(events.items)) {
        if (event.seqId !== seqId) continue;
        if (opened.ok && opened.value.kind !== 'message') throw messageNotFound(seqId);
        const isGone = !opened.ok && opened.reason === 'deleted';
        return { senderId: event.senderId, isDeleted: isGone || this.#changes.isDeleted(event) };
      }
      token = events.cursor;
      const last = events.items.at(-1);
      if (token === null || (last && isSmaller(last.seqId, seqId))) throw messageNotFound(seqId);
    }
    throw messageNotFound(seqId, maxEventsRead);
  }

  /** Finds the changes before a page: in memory if this process has sent the cursor, otherwise on the platform. */
  async #readChanges(cursor: string, { before, tenPagesBack, start }: HistoryCursor): Promise<void> {
    const { actor, messages, nowMs } = this.#parts;
    const known = actor.known.changesBefore(cursor);
    if (known) {
      await this.#open.adoptAll(await actor.known.keyChangesOf(this.#open.id, messages, nowMs));
      for await (const _ of this.#openAll(known));
    }
    if (known || tenPagesBack === start) return;
    let token: Token = tenPagesBack;
    for (let read = 0, pages = 0; read < maxEventsRead && pages < maxPages; pages += 1) {
      const events = await this.#read(token, greatestPage);
      read += events.items.length;
      for await (const _ of this.#openAll(events.items));
      token = events.cursor;
      const last = events.items.at(-1);
      if (token === null || (last && isSmaller(last.seqId, before))) return;
    }
  }

  /** Opens events and collects the changes among them. A change that is collected twice counts once. */
  async *#openAll(events: readonly PlacedEvent[]) {
    for await (const each of openAll(this.#open, events)) {
      if (each.opened.ok && isChange(each.opened.value)) {
        this.#changes.add(each.opened.value);
        this.#changing.set(each.event.seqId, each.event);
      }
      yield each;
    }
  }

  async #read(cursor: Token, count: number) {
    const { messages, actor, nowMs } = this.#parts;
    const events = await messages.events(this.#open.id, { count: Math.min(count, greatestPage), cursor });
    await this.#open.adoptAll(actor.known.keepKeyChanges(this.#open.id, events.keyChanges, nowMs, cursor === null));
    return events;
  }

  #result(found: readonly DirectMessage[], place: HistoryCursor) {
    const marks =
      place.pagesSinceMark === pagesPerMark
        ? { tenPagesBack: place.fivePagesBack, fivePagesBack: place.start, pagesSinceMark: 0 }
        : { pagesSinceMark: place.pagesSinceMark + 1 };
    const cursor = writeCursor({ ...place, ...marks });
    if (this.#changing.size <= maxEventsRead)
      this.#parts.actor.known.keepChangesBefore(cursor, [...this.#changing.values()]);
    return { messages: withoutReplays(found), cursor };
  }
}

function writeCursor({ before, start, tenPagesBack, fivePagesBack, pagesSinceMark }: HistoryCursor): string {
  return JSON.stringify([before, start, tenPagesBack, fivePagesBack, pagesSinceMark]);
}

/** The actions seal their cursors, so that no caller can change them, but an earlier release may have made them. */
function readCursor(cursor: string): HistoryCursor {
  if (!cursor.startsWith('["')) throw malformedField('cursor', 'is from an earlier release. Begin with the first page');
  const [before, start, tenPagesBack, fivePagesBack, pagesSinceMark] = JSON.parse(cursor) as [
    string,
    Token,
    Token,
    Token,
    number,
  ];
  return { before, start, tenPagesBack, fivePagesBack, pagesSinceMark };
}
