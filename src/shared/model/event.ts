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

/**
 * The types of events about a tweet by another user, in order of precedence. If several apply, each receiver gets the
 * first one that it subscribes to (docs/webhooks.md, Events).
 */
export const tweetEventTypes = ['tweet.reply', 'tweet.quote', 'tweet.mention'] as const;

export type TweetEventType = (typeof tweetEventTypes)[number];

export function isTweetEventType(type: unknown): boolean {
  return tweetEventTypes.some((known) => known === type);
}

/** The types of events about the account of Postern. Only webhooks and live streams that list them receive them. */
export const accountEventTypes = ['account.low_credit', 'connection.expired'] as const;

export type AccountEventType = (typeof accountEventTypes)[number];

export function isAccountEventType(type: string): boolean {
  return accountEventTypes.some((known) => known === type);
}

/** The types that the `events` of a webhook and the `types` of a live stream may list. */
export const webhookEventTypes = [...eventTypes, ...accountEventTypes] as const;

export type WebhookEventType = (typeof webhookEventTypes)[number];

/** An event of an account as the platform reports it. */
export type PlatformEvent = TweetEvent | LikeEvent | RetweetEvent | FollowEvent | MessageEvent;

interface Happened {
  /** The platform's id of the event. It is unique and does not change. */
  id: string;
  /** ISO 8601 with milliseconds. */
  createdAt: string;
  /** The user who caused the event. */
  actor: { id: string; userName: string; name: string };
}

export interface TweetEvent extends Happened {
  /** All types that apply to the tweet, in the order of `tweetEventTypes`. */
  types: readonly TweetEventType[];
  /** The tweet that was written. */
  tweet: { id: string; text: string; inReplyToId: string | null; quotedTweetId: string | null };
}

export interface LikeEvent extends Happened {
  type: 'tweet.like';
  tweet: { id: string };
}

export interface RetweetEvent extends Happened {
  type: 'tweet.retweet';
  tweet: { id: string };
}

export interface FollowEvent extends Happened {
  type: 'user.follow';
  tweet: null;
}

/** An event of one type, as it is stored. */
export type TypedEvent = Exclude<PlatformEvent, TweetEvent> | (Omit<TweetEvent, 'types'> & { type: TweetEventType });

/** Returns one event for each type of the event. */
export function typedEvents(event: PlatformEvent): TypedEvent[] {
  if (!('types' in event)) return [event];
  const { types, ...rest } = event;
  return types.map((type) => ({ ...rest, type }));
}

/** An event in a conversation of the account, caused by either user. It is encrypted, and so is its kind. */
export interface MessageEvent extends Happened {
  /** The type for an event whose kind is unknown: that of a new message by its sender. */
  type: 'message.received' | 'message.sent';
  tweet: null;
  message: PlacedEvent;
  fromMe: boolean;
}

export function isMessageEvent(event: PlatformEvent | TypedEvent): event is MessageEvent {
  return 'message' in event;
}

export function isMessageType(type: string): boolean {
  return type.startsWith('message.');
}

/**
 * An item of an event stream. A `gap` means that the reader may have missed events that are no longer stored. If the gap has an id, the
 * reader can continue from this id.
 */
export type StreamItem =
  | { kind: 'event'; id: string; type: string; body: string }
  | { kind: 'gap'; id: string | null; reason: string };

/** An event stream. It is open until its reader or this process ends it. */
export interface LiveStream {
  readonly items: AsyncIterable<StreamItem>;
  end(): void;
}
