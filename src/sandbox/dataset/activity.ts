import type { Conversation, ConversationEvent } from '../chat/conversation.ts';
import type { Dataset } from './dataset.ts';
import { hiddenFrom } from './look-up.ts';
import { compareIds, nextSnowflake } from './snowflake.ts';
import type { SandboxTweet, User } from './types.ts';

export const activityTypes = ['mention', 'reply', 'quote', 'like', 'retweet', 'follow'] as const;
export type ActivityType = (typeof activityTypes)[number];

/** What somebody did that concerns another; of conversations, what one did oneself as well. */
export interface ActivityEvent {
  readonly id: string;
  readonly type: ActivityType | 'chat';
  readonly at: number;
  readonly actor: User;
  /** The one that was written, or was liked or retweeted; null for a follow. */
  readonly tweet: SandboxTweet | null;
  readonly chat?: { readonly conversation: Conversation; readonly event: ConversationEvent; readonly fromMe: boolean };
}

const DAY_MS = 24 * 60 * 60 * 1000;
export const KEPT_MS = 7 * DAY_MS;
export const KEPT_EVENTS = 10_000;

/** Before every event. */
const NO_ID = '0';

export interface Since {
  /** Oldest first. */
  readonly events: Iterable<readonly [event: ActivityEvent, id: string]>;
  /** Whether some are no longer kept. */
  readonly gap: boolean;
}

/**
 * What happened to whom. It grows by journal entries alone and decides by the dataset they meet, so a replay gives every event
 * the id that it had.
 */
export class ActivityLog {
  readonly #feeds = new Map<User, Feed>();
  #lastId = NO_ID;

  /** Of the latest event of anybody. */
  get lastId(): string {
    return this.#lastId;
  }

  /** Ids go on above those of a dataset that was reset. */
  continueAfter(id: string): void {
    if (compareIds(id, this.#lastId) > 0) this.#lastId = id;
  }

  note(recipient: User, type: ActivityType, actor: User, tweet: SandboxTweet | null, at: number): void {
    if (recipient === actor || actor.state !== 'active') return;
    this.#add(recipient, { type, at, actor, tweet });
  }

  /** Both sides are told of what happens in a conversation. */
  noteChat(recipient: User, conversation: Conversation, event: ConversationEvent): void {
    this.#add(recipient, {
      ...{ type: 'chat', at: event.at, actor: event.sender, tweet: null },
      chat: { conversation, event, fromMe: event.sender === recipient },
    });
  }

  /** One event for each whom a new tweet concerns and who may see it: a reply before a quote, a quote before a mention. */
  noteTweet(dataset: Dataset, tweet: SandboxTweet): void {
    const told = new Set<User>();
    const tell = (recipient: User | undefined, type: ActivityType) => {
      if (recipient === undefined || told.has(recipient) || hiddenFrom(recipient, tweet) !== undefined) return;
      told.add(recipient);
      this.note(recipient, type, tweet.author, tweet, tweet.createdAt);
    };
    if (tweet.replyTo !== null) tell(dataset.users.get(tweet.replyTo.userId), 'reply');
    if (tweet.quoteOf !== null) tell(dataset.tweet(tweet.quoteOf)?.author, 'quote');
    for (const { user } of tweet.entities.mentions) tell(user, 'mention');
  }

  #add(recipient: User, event: Omit<ActivityEvent, 'id'>): void {
    this.#lastId = nextSnowflake(event.at, this.#lastId);
    let feed = this.#feeds.get(recipient);
    if (feed === undefined) {
      feed = new Feed();
      this.#feeds.set(recipient, feed);
    }
    feed.add({ id: this.#lastId, ...event });
  }

  /** The events of one account after the one with this id, to be read before anything else happens. */
  since(recipient: User, id: string, now: number): Since {
    return this.#feeds.get(recipient)?.since(id, now) ?? { events: [], gap: false };
  }
}

class Feed {
  #events: ActivityEvent[] = [];
  /** Where the kept ones begin. What stands before it is cut off now and then, not each time. */
  #first = 0;
  #lastLost = NO_ID;

  add(event: ActivityEvent): void {
    this.#forget(event.at, KEPT_EVENTS - 1);
    this.#events.push(event);
  }

  since(id: string, now: number): Since {
    this.#forget(now, KEPT_EVENTS);
    return { events: this.#from(this.#placeAfter(id)), gap: compareIds(id, this.#lastLost) < 0 };
  }

  *#from(place: number): Generator<readonly [ActivityEvent, string]> {
    for (let at = place; at < this.#events.length; at++) {
      const event = this.#events[at];
      if (event !== undefined) yield [event, event.id];
    }
  }

  #forget(now: number, most: number): void {
    for (;;) {
      const oldest = this.#events[this.#first];
      if (oldest === undefined) break;
      if (oldest.at > now - KEPT_MS && this.#events.length - this.#first <= most) break;
      this.#lastLost = oldest.id;
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
