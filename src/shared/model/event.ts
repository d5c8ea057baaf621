import type { PlacedEvent } from './sealed-event.ts';

/** The types of events (docs/webhooks.md, Events). */
export const eventTypes = [
  'message.received',
  'message.sent',
  'message.edited',
  'message.deleted',
  'message.reactionAdded',
  'message.reactionRemoved',
  'tweet.mention',
  'tweet.reply',
  'tweet.quote',
  'tweet.like',
  'tweet.retweet',
  'user.follow',
] as const;

export type EventType = (typeof eventTypes)[number];

/** An event of an account, as the platform reports it. */
export type PlatformEvent = TweetEvent | FollowEvent | MessageEvent;

interface Happened {
  /** The platform's id of the event. It is unique and does not change. */
  id: string;
  /** ISO 8601 with milliseconds. */
  createdAt: string;
  /** The users who caused the event. */
  actor: { id: string; userName: string; name: string };
}

export interface TweetEvent extends Happened {
  type: 'tweet.mention' | 'tweet.reply' | 'tweet.quote' | 'tweet.like' | 'tweet.retweet';
  /** The tweet that was written, liked or retweeted. */
  tweet: { id: string; text: string; inReplyToId: string | null; quotedTweetId: string | null };
}

export interface FollowEvent extends Happened {
  type: 'user.follow';
  tweet: null;
}

/** An event in a conversation of the account, by either user, encrypted as the platform carries it. */
export interface MessageEvent extends Happened {
  type: Extract<EventType, `message.${string}`>;
  tweet: null;
  message: PlacedEvent;
  fromMe: boolean;
}

export function isMessageEvent(event: PlatformEvent): event is MessageEvent {
  return 'message' in event;
}

export function isMessageType(type: string): boolean {
  return type.startsWith('message.');
}

/**
 * An item of an event stream. A `gap` says that the reader may have missed events that are no longer kept. If the gap has an id, the
 * reader can continue after that id.
 */
export type StreamItem =
  | { kind: 'event'; id: string; type: string; body: string }
  | { kind: 'gap'; id: string | null; reason: string };

/** An event stream that is open until its reader or this process ends it. */
export interface LiveStream {
  readonly items: AsyncIterable<StreamItem>;
  end(): void;
}
