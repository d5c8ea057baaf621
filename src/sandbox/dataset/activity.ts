import type { Conversation, ConversationEvent } from '../chat/conversation.ts';
import { compareIds, nextSnowflake } from './snowflake.ts';
import type { SandboxTweet, User } from './types.ts';
import { hiddenFrom } from './visibility.ts';

export const activityTypes = ['mention', 'reply', 'quote', 'like', 'retweet', 'follow'] as const;
export type ActivityType = (typeof activityTypes)[number];

/**
 * An event in the activity feed of a user. The feed has actions of other users on this user, and all events of the
 * user's conversations, including the user's own.
 */
export interface ActivityEvent {
  readonly id: string;
  /** The first of `types`, or `chat`. */
  readonly type: ActivityType | 'chat';
  /** All types that apply to the tweet, in the order reply, quote, mention. Missing in chat events. */
  readonly types?: readonly ActivityType[];
  readonly at: number;
  readonly actor: User;
  /** The tweet that was written, liked or retweeted. Null for follows and chat events. */
  readonly tweet: SandboxTweet | null;
  readonly chat?: { readonly conversation: Conversation; readonly event: ConversationEvent };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const RETENTION_MS = 7 * DAY_MS;
const MAX_EVENTS = 10_000;

/** A position before the first event. */
const NO_ID = '0';

export interface EventsSince {
  /** The events, oldest first. */
  readonly events: Iterable<readonly [event: ActivityEvent, id: string]>;
  /** True if some of the requested events have expired. */
  readonly gap: boolean;
}

/**
 * Stores the activity feed of every user. Events are created only when journal entries are applied, so a replay of the
 * journal gives every event the same id again.
 */
export class ActivityLog {
  readonly #feeds = new Map<User, Feed>();
  #lastId = NO_ID;
  /** Called for each new event with the user in whose feed it appears. */
  onEvent: (recipient: User) => void = () => {};

  /** The id of the latest event of any user. */
  get lastId(): string {
    return this.#lastId;
  }

  /** Makes later event ids higher than `id`. Used after a reset, so that ids of the previous dataset are not reused. */
  continueAfter(id: string): void {
    if (compareIds(id, this.#lastId) > 0) this.#lastId = id;
  }

  record(
    recipient: User,
    type: ActivityType,
    actor: User,
    tweet: SandboxTweet | null,
    at: number,
    types = [type],
  ): void {
    if (recipient === actor || actor.state !== 'active' || recipient.muted.has(actor)) return;
    this.#add(recipient, { type, types, at, actor, tweet });
  }

  /** Adds an event of a conversation to the feed of one participant. */
  recordChat(recipient: User, conversation: Conversation, event: ConversationEvent): void {
    this.#add(recipient, {
      type: 'chat',
      at: event.at,
      actor: event.sender,
      tweet: null,
      chat: { conversation, event },
    });
  }

  /** Adds one event, with all types that apply, for each user whom a new tweet concerns and who may see the tweet. */
  recordTweet(tweet: SandboxTweet): void {
    const { author, replyTo, quoteOf, entities, createdAt } = tweet;
    const mentioned = entities.mentions.map(({ user }) => user);
    for (const recipient of new Set([replyTo?.author, quoteOf?.author, ...mentioned])) {
      if (recipient === undefined || hiddenFrom(recipient, tweet) !== undefined) continue;
      const types: ActivityType[] = [];
      if (recipient === replyTo?.author) types.push('reply');
      if (recipient === quoteOf?.author) types.push('quote');
      if (mentioned.includes(recipient)) types.push('mention');
      const [type] = types;
      if (type !== undefined) this.record(recipient, type, author, tweet, createdAt, types);
    }
  }

  #add(recipient: User, event: Omit<ActivityEvent, 'id'>): void {
    this.#lastId = nextSnowflake(event.at, this.#lastId);
    let feed = this.#feeds.get(recipient);
    if (feed === undefined) {
      feed = new Feed();
      this.#feeds.set(recipient, feed);
    }
    feed.add({ id: this.#lastId, ...event });
    this.onEvent(recipient);
  }

  /** Returns the events of one account after the event with this id. Read the result before the log changes again. */
  since(recipient: User, id: string, now: number): EventsSince {
    return this.#feeds.get(recipient)?.since(id, now) ?? { events: [], gap: false };
  }
}

class Feed {
  #events: ActivityEvent[] = [];
  /**
   * The index of the first event that has not expired. Expired events are removed from the array in batches, because
   * removing each one separately would copy the array every time.
   */
  #first = 0;
  #lastExpiredId = NO_ID;

  add(event: ActivityEvent): void {
    this.#expire(event.at, MAX_EVENTS - 1);
    this.#events.push(event);
  }

  since(id: string, now: number): EventsSince {
    this.#expire(now, MAX_EVENTS);
    return { events: this.#from(this.#placeAfter(id)), gap: compareIds(id, this.#lastExpiredId) < 0 };
  }

  *#from(place: number): Generator<readonly [ActivityEvent, string]> {
    for (let at = place; at < this.#events.length; at++) {
      const event = this.#events[at];
      if (event !== undefined) yield [event, event.id];
    }
  }

  #expire(now: number, most: number): void {
    for (;;) {
      const oldest = this.#events[this.#first];
      if (oldest === undefined) break;
      if (oldest.at > now - RETENTION_MS && this.#events.length - this.#first <= most) break;
      this.#lastExpiredId = oldest.id;
      this.#first++;
    }
    if (this.#first < 1_000 && this.#first < this.#events.length) return;
    this.#events = this.#events.slice(this.#first);
    this.#first = 0;
  }

  #placeAfter(id: string): number {
    let low = this.#first;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#events[middle];
      if (other !== undefined && compareIds(other.id, id) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
