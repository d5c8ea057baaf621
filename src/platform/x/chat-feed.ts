import { malformedField } from '../../shared/errors/fields.ts';
import { isUnreadable, PosternError } from '../../shared/errors/postern-error.ts';
import { isSmaller } from '../../shared/model/conversation-id.ts';
import type { MessageEvent } from '../../shared/model/event.ts';
import type { PlacedEvent } from '../../shared/model/sealed-event.ts';
import { text } from '../http/wire.ts';
import type { EventPage } from '../messages-port.ts';
import type { ActivityPage, ActivityRequest, NamedUser } from '../port.ts';
import { leastFields } from './fields.ts';
import { messageEvent, type UpdatedConversation, XMessages } from './messages.ts';
import { operations } from './operations.ts';
import { readUserName } from './read-user.ts';
import { itemsOf } from './session.ts';
import { SessionPart } from './session-parts.ts';

/** The time by which X may show a change of one conversation later than a newer change of another one. */
const overlapMs = 10_000;
const conversationsAtOnce = 100;
const maxPages = 5;
/** The encrypted characters of a page after which no more events are read. A poll may receive 16 MiB. */
const maxChars = 4 * 1_024 * 1_024;
/** X bills each event, and most conversations have one new event, so the first pages are small. */
const pageSizes = [3, 20, 100, 100, 100, 100];

/** All events of a conversation up to `seqId` were read: all that it has, unless `updatedAt` has changed. `0`: none could be read. */
interface ReadConversation {
  readonly updatedAt: number;
  readonly seqId: string;
}

/** A position in the events of all conversations of a user. */
interface FeedPosition {
  /** All events before this time were read, in milliseconds. */
  readonly since: number;
  /** The conversations that changed after `since`, by id. */
  readonly read: ReadonlyMap<string, ReadConversation>;
}

/**
 * The events of a user's conversations. X has no list of them, so the feed looks for conversations that have changed, which costs nothing,
 * and reads their new events.
 */
export class ChatFeed extends SessionPart {
  readonly #messages = new XMessages(this.parts, this.call);

  /** Returns about `count` events. All new events of a conversation are on one page, because X would bill them again. */
  async page({ count, cursor }: ActivityRequest): Promise<ActivityPage> {
    const position = cursor === null ? null : readCursor(cursor);
    const { changed, newestMs, isCut } = await this.#changed(position);
    if (position === null)
      return { events: [], cursor: writeCursor({ since: newestMs + 1, read: new Map() }), gap: false };
    const read = new Map(position.read);
    const found: PlacedEvent[] = [];
    let gap = isCut;
    let isWhole = true;
    for (const { id, updatedAt } of changed.toReversed()) {
      isWhole = found.length < count && sizeOf(found) < maxChars;
      if (!isWhole) break;
      const news = await this.#newEvents(id, position);
      found.push(...news.events);
      gap ||= news.isCut;
      read.set(id, { updatedAt, seqId: news.newest });
    }
    const since = isWhole ? Math.max(position.since, newestMs - overlapMs) : position.since;
    if (isWhole) for (const [id, { updatedAt }] of read) if (updatedAt < since) read.delete(id);
    found.sort((one, other) => (isSmaller(one.seqId, other.seqId) ? -1 : 1));
    return { events: await this.#named(found), cursor: writeCursor({ since, read }), gap };
  }

  /** Returns the conversations that have changed after the position, newest first. */
  async #changed(position: FeedPosition | null) {
    const changed: UpdatedConversation[] = [];
    let newestMs = 0;
    let cursor: string | null = null;
    for (let page = 0; page < maxPages; page++) {
      const found = await this.#messages.updated({ count: conversationsAtOnce, cursor });
      newestMs = Math.max(newestMs, ...found.items.map(({ updatedAt }) => updatedAt));
      if (position === null) break;
      const recent = found.items.filter(({ updatedAt }) => updatedAt >= position.since);
      changed.push(...recent.filter(({ id, updatedAt }) => position.read.get(id)?.updatedAt !== updatedAt));
      cursor = found.cursor;
      if (cursor === null || recent.length < found.items.length) return { changed, newestMs, isCut: false };
    }
    return { changed, newestMs, isCut: position !== null };
  }

  /** Returns the events of a conversation after the position, oldest first, and the id of the newest event. */
  async #newEvents(id: string, { since, read }: FeedPosition) {
    const events: PlacedEvent[] = [];
    const known = read.get(id);
    const isNew = ({ seqId, createdAt }: PlacedEvent) =>
      known === undefined || known.seqId === '0' ? Date.parse(createdAt) >= since : isSmaller(known.seqId, seqId);
    let newest = known?.seqId ?? '0';
    let cursor: string | null = null;
    for (const count of pageSizes) {
      const page: EventPage | null = await this.#messages.events(id, { count, cursor }).catch((error: unknown) => {
        // One bad conversation does not end the poll.
        if (error instanceof PosternError && isUnreadable(error)) return null;
        throw error;
      });
      if (page === null) break;
      const [first] = page.items;
      if (cursor === null && first !== undefined) newest = first.seqId;
      const some = page.items.filter(isNew);
      events.unshift(...some.toReversed());
      cursor = page.cursor;
      if (cursor === null || some.length < page.items.length) return { events, newest, isCut: false };
      if (sizeOf(events) > maxChars) break;
    }
    return { events, newest, isCut: true };
  }

  async #named(events: readonly PlacedEvent[]): Promise<MessageEvent[]> {
    if (events.length === 0) return [];
    const viewerId = await this.parts.identifiers.actorId(this.call);
    const ids = [...new Set(events.map(({ senderId }) => senderId))];
    const request = { operation: operations.getUsersByIds, query: { ids: ids.join(',') }, fields: leastFields.user };
    const users = await this.get({ ...request, count: ids.length, isBulk: true }, (body) =>
      itemsOf(body, ids.length).map((user): NamedUser => ({ ...readUserName(user), name: text(user.name, 'name') })),
    );
    const byId = new Map(users.map((user) => [user.id, user]));
    return events.map((message) => {
      const { senderId, createdAt } = message;
      const actor = byId.get(senderId) ?? { id: senderId, userName: '', name: '' };
      return { ...messageEvent(message, senderId === viewerId), createdAt, actor };
    });
  }
}

function sizeOf(events: readonly PlacedEvent[]): number {
  return events.reduce((sum, { encoded }) => sum + encoded.length, 0);
}

function writeCursor({ since, read }: FeedPosition): string {
  return ['c1', since, ...[...read].map(([id, { updatedAt, seqId }]) => `${id} ${updatedAt} ${seqId}`)].join('|');
}

/** Throws `bad_input` for any other text. */
function readCursor(cursor: string): FeedPosition {
  if (!/^c1\|\d{1,15}(\|\d+:\d+ \d{1,15} \d+)*$/.test(cursor))
    throw malformedField('cursor', 'is not one that this platform gave');
  const [, since, ...read] = cursor.split('|');
  const entries = read.map((entry) => {
    const [id = '', updatedAt, seqId = ''] = entry.split(' ');
    return [id, { updatedAt: Number(updatedAt), seqId }] as const;
  });
  return { since: Number(since), read: new Map(entries) };
}
