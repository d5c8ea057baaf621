import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { PlatformEvent } from '../../shared/model/event.ts';
import { abortSignalOf } from '../../shared/runtime/cancellation.ts';
import { InvalidResponseError, unreadable } from '../http/errors.ts';
import type { ActivityPage, ActivityRequest, PageRequest } from '../port.ts';
import { type ActivityPosition, advance, hashOf, overlapMs, readCursor, writeCursor } from './activity-cursor.ts';
import type { Jetstream } from './jetstream.ts';
import { listRawNotifications, type Notification, readEvent, readNotification, reasons } from './read-notification.ts';
import type { ServerSession } from './server-session.ts';

/** Most polls find nothing new, so the first page is small. */
const firstPageSize = 25;
const pageSize = 100;
/** The maximum number of pages in one reading. If more has happened, the older part is skipped, and the page has a gap. */
const maxPages = 20;
/** The maximum number of pages in the first reading, which finds the notifications within the overlap. */
const maxFirstPages = 5;
/**
 * A reading ends at the first page without a new notification. After this time in milliseconds, the next one goes back
 * to the start of the position, and finds those that the AppView listed late.
 */
const fullReadingMs = 60_000;
/** An account is not polled for longer than this because of one `Retry-After`, in milliseconds. */
const maxLimitedMs = 600_000;
/** While Jetstream reports nothing about an account, its notifications are read at this interval in milliseconds. */
const checkMs = 60_000;
/** The shortest interval between two readings of an account that Jetstream causes, in milliseconds. */
const minIntervalMs = 1_000;
/**
 * The pauses in milliseconds before the AppView is asked again for notifications of records that Jetstream has
 * reported.
 */
const indexingMs = [300, 700, 1_500, 3_000];
const maxRemembered = 20_000;
/**
 * Notifications that exceed a page are kept for the next page: for this many accounts, with this many characters in all, and for this many
 * milliseconds. Others are read again.
 */
const maxUnread = 100;
const maxUnreadChars = 16 * 1_024 * 1_024;
const unreadMs = 60_000;

interface NewEvent {
  uri: string;
  at: number;
  event: PlatformEvent;
}

/** Reads the notifications of actors as activity feeds, oldest first and each once. */
export class ActivityFeeds {
  readonly #now: () => number;
  readonly #jetstream: Jetstream | null;
  /** The time of each actor's last reading that went back to the start of its position. */
  readonly #fullReadings = new LRUCache<string, number>({ max: maxRemembered });
  readonly #unread = new LRUCache<string, NewEvent[]>({
    max: maxUnread,
    maxSize: maxUnreadChars,
    sizeCalculation: (found) => found.reduce((sum, { uri, event }) => sum + uri.length + sizeOf(event), 0),
    ttl: unreadMs,
  });
  /** The last reading of each actor: its time and the hash of its cursor. */
  readonly #readings = new LRUCache<string, { at: number; position: string }>({ max: maxRemembered });
  /** The number of reports by Jetstream since the last event of each actor that brought no event. */
  readonly #fruitless = new LRUCache<string, number>({ max: maxRemembered });
  /** The times until which a server, or a server behind a proxy, refuses requests. */
  readonly #limited = new LRUCache<string, number>({ max: maxRemembered });

  constructor(now: () => number, jetstream: Jetstream | null) {
    this.#now = now;
    this.#jetstream = jetstream;
  }

  async read(actor: ServerSession, { waitMs = 0, ...request }: ActivityRequest): Promise<ActivityPage> {
    const { cursor } = request;
    if (this.#jetstream === null || cursor === null || waitMs === 0) return this.#read(actor, request);
    return this.#readWhenNotified(this.#jetstream, actor, { ...request, cursor, waitMs });
  }

  /** Waits until Jetstream reports something about the actor, unless the last reading of this position is too old. */
  async #readWhenNotified(
    jetstream: Jetstream,
    actor: ServerSession,
    { count, cursor, waitMs }: ActivityRequest & { cursor: string; waitMs: number },
  ): Promise<ActivityPage> {
    const did = await actor.did();
    const key = await actorKey(actor);
    const { signal } = actor.call;
    const last = this.#readings.get(key);
    const isSame = last?.position === hashOf(cursor);
    const readAt = last?.at ?? Number.NEGATIVE_INFINITY;
    const isQuiet = () => jetstream.isQuietSince(did, readAt) && this.#now() < readAt + checkMs;
    // The account is watched from the first reading on.
    if (isQuiet() && isSame) {
      await jetstream.wait(did, Math.min(waitMs, readAt + checkMs - this.#now()), signal);
      if (signal?.aborted) throw new PosternError('caller_hung_up', 'The caller disconnected');
      if (isQuiet()) return { events: [], cursor, gap: false };
    }
    const isNotified = isSame && jetstream.isNotifiedSince(did, readAt);
    const fruitless = this.#fruitless.get(key) ?? 0;
    await this.#pause(readAt + minIntervalMs - this.#now(), actor);
    const startedAt = this.#now();
    let page = await this.#read(actor, { count, cursor });
    // A record that causes no event, such as a like by a blocked account, must not cause many requests.
    for (const pauseMs of isNotified ? indexingMs.slice(fruitless) : []) {
      if (page.events.length > 0 || page.gap) break;
      await this.#pause(pauseMs, actor);
      page = await this.#read(actor, { count, cursor });
    }
    if (page.events.length > 0) this.#fruitless.delete(key);
    else if (isNotified) this.#fruitless.set(key, fruitless + 1);
    this.#readings.set(key, { at: startedAt, position: hashOf(page.cursor) });
    return page;
  }

  async #pause(ms: number, { call: { signal } }: ServerSession): Promise<void> {
    if (ms <= 0) return;
    await sleep(ms, undefined, signal ? { signal: abortSignalOf(signal) } : {}).catch(() => {
      throw new PosternError('caller_hung_up', 'The caller disconnected');
    });
  }

  #read(actor: ServerSession, { count, cursor }: PageRequest): Promise<ActivityPage> {
    return this.#withinLimit(actor, async () => {
      if (cursor === null) return { events: [], cursor: writeCursor(await this.#end(actor)), gap: false };
      const position = readCursor(cursor);
      const unread = this.#unread.get(await unreadKey(actor, cursor));
      const { found, gap } = unread ? { found: unread, gap: false } : await this.#readAfter(actor, position);
      if (found.length === 0) return { events: [], cursor, gap: false };
      const page = found.slice(0, count);
      // The notifications in the gap count as read.
      const floor = gap ? (page[0]?.at ?? position.floor) : position.floor;
      const next = writeCursor(advance({ ...position, floor }, page));
      if (found.length > count) this.#unread.set(await unreadKey(actor, next), found.slice(count));
      await actor.ids.save();
      return { events: page.map(({ event }) => event), cursor: next, gap };
    });
  }

  /** Returns the position after the newest notification. */
  async #end(actor: ServerSession): Promise<ActivityPosition> {
    const all: Notification[] = [];
    let page: Awaited<ReturnType<typeof list>> | undefined;
    let isComplete = false;
    for (let pages = 0; pages < maxFirstPages && !isComplete; pages += 1) {
      page = await list(actor, pageSize, page?.cursor);
      all.push(...page.found);
      const oldest = page.found.at(-1);
      isComplete = !oldest || page.cursor === undefined || oldest.at < (all[0]?.at ?? 0) - overlapMs;
    }
    const oldest = all.at(-1);
    if (!oldest) return { floor: Math.max(0, this.#now() - overlapMs), seen: new Map() };
    // The next page may have notifications with the same time.
    return advance({ floor: isComplete ? 0 : oldest.at + 1, seen: new Map() }, all);
  }

  /** Reads back to the position. Returns the new events, oldest first. */
  async #readAfter(actor: ServerSession, { floor, seen }: ActivityPosition) {
    const [key, did] = [await actorKey(actor), await actor.did()];
    const isFull = (this.#fullReadings.get(key) ?? Number.NEGATIVE_INFINITY) + fullReadingMs <= this.#now();
    const found = new Map<string, NewEvent>();
    let gap = true;
    let cursor: string | undefined;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const page = await list(actor, pages === 0 ? firstPageSize : pageSize, cursor);
      const added = page.found.filter(({ uri, at }) => at >= floor && !seen.has(hashOf(uri)));
      for (const notification of added) {
        const event = readEvent(notification, did, actor.ids);
        if (event) found.set(event.id, { uri: event.id, at: notification.at, event });
      }
      cursor = page.cursor;
      const isPast = cursor === undefined || page.found.some(({ at }) => at < floor);
      if (isPast || added.length < page.found.length) gap = false;
      if (isPast || (page.found.length > 0 && added.length === 0 && !isFull)) break;
    }
    if (isFull) this.#fullReadings.set(key, this.#now());
    const sorted = [...found.values()].sort((a, b) => a.at - b.at || (a.uri < b.uri ? -1 : 1));
    return { found: sorted, gap };
  }

  /** After a 429, the server is not asked again before the time that it named, for any account. */
  async #withinLimit<T>(actor: ServerSession, read: () => Promise<T>): Promise<T> {
    const { pds } = await actor.login();
    const key = `${actor.call.proxy?.origin ?? ''} ${pds.origin}`;
    const waitMs = (this.#limited.get(key) ?? 0) - this.#now();
    if (waitMs > 0) throw rateLimited(waitMs);
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof PosternError) || error.reason !== 'platform_rate_limit') throw error;
      const limitedMs = Math.min((error.retryAfterSeconds ?? 0) * 1_000, maxLimitedMs);
      this.#limited.set(key, this.#now() + limitedMs);
      throw rateLimited(limitedMs);
    }
  }
}

async function list(actor: ServerSession, limit: number, after?: string) {
  // Accounts can choose to be notified only about users whom they follow. `priority: false` lists all notifications
  // nevertheless.
  const params = { limit, cursor: after, reasons, priority: false };
  const { notifications, cursor } = await actor.about(null)(listRawNotifications, { params, isUncut: true });
  if (notifications.length > limit) {
    throw unreadable(new InvalidResponseError('notifications has more items than the request allows'));
  }
  return { found: notifications.flatMap((raw) => readNotification(raw) ?? []), cursor };
}

/** The approximate number of characters of an event in memory. */
function sizeOf({ actor, tweet }: PlatformEvent): number {
  const text = tweet !== null && 'text' in tweet ? tweet.text.length : 0;
  return 500 + actor.userName.length + actor.name.length + text;
}

async function actorKey(actor: ServerSession): Promise<string> {
  return `${actor.call.account} ${await actor.did()}`;
}

async function unreadKey(actor: ServerSession, cursor: string): Promise<string> {
  return hashOf(`${await actor.did()} ${cursor}`);
}

function rateLimited(waitMs: number): PosternError {
  return new PosternError('platform_rate_limit', "The platform's rate limit: notifications are read later", {
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
  });
}
