// Printed by `npm run print` from src/shared/model/event-bodies.ts.

/** A file that came with a message, as its sender describes it. */
export interface EventAttachment {
  /** 1 image, 2 GIF, 3 video, 4 audio, 5 file, 6 SVG. */
  type: number;
  /** Name of the file. */
  filename: string;
  /** Size in bytes before encryption. */
  size: number;
}

/** A direct message is deleted. */
export interface MessageDeletedEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'message.deleted';
  /** When it happened, ISO 8601 with microseconds. */
  created_at: string;
  /** The conversation. */
  conversation_id: string;
  /** Id of the message, made by its sender. */
  message_id: string;
  /** The position among all events of the platform’s conversations. */
  seq_id: string;
  /** The platform's id of the sender. */
  sender_id: string;
  /** True if the account of the webhook or stream is the sender. */
  from_me: boolean;
  /** `seq_id` of the message that the event is about. */
  target_seq_id: string;
  /** Why the event cannot be opened, such as `bad_signature`; `deleted` if the message was deleted before it was read. `text` or `emoji` is empty then. Left out if the event was opened. */
  undecryptable?: string;
}

/** A direct message is edited. */
export interface MessageEditedEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'message.edited';
  /** When it happened, ISO 8601 with microseconds. */
  created_at: string;
  /** The conversation. */
  conversation_id: string;
  /** Id of the message, made by its sender. */
  message_id: string;
  /** The position among all events of the platform’s conversations. */
  seq_id: string;
  /** The platform's id of the sender. */
  sender_id: string;
  /** True if the account of the webhook or stream is the sender. */
  from_me: boolean;
  /** The text of the message. */
  text: string;
  /** `seq_id` of the message that the event is about. */
  target_seq_id: string;
  /** Why the event cannot be opened, such as `bad_signature`; `deleted` if the message was deleted before it was read. `text` or `emoji` is empty then. Left out if the event was opened. */
  undecryptable?: string;
}

/** A reaction is added to a direct message. */
export interface MessageReactionAddedEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'message.reactionAdded';
  /** When it happened, ISO 8601 with microseconds. */
  created_at: string;
  /** The conversation. */
  conversation_id: string;
  /** Id of the message, made by its sender. */
  message_id: string;
  /** The position among all events of the platform’s conversations. */
  seq_id: string;
  /** The platform's id of the sender. */
  sender_id: string;
  /** True if the account of the webhook or stream is the sender. */
  from_me: boolean;
  /** The reaction. */
  emoji: string;
  /** `seq_id` of the message that the event is about. */
  target_seq_id: string;
  /** Why the event cannot be opened, such as `bad_signature`; `deleted` if the message was deleted before it was read. `text` or `emoji` is empty then. Left out if the event was opened. */
  undecryptable?: string;
}

/** A reaction is removed from a direct message. */
export interface MessageReactionRemovedEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'message.reactionRemoved';
  /** When it happened, ISO 8601 with microseconds. */
  created_at: string;
  /** The conversation. */
  conversation_id: string;
  /** Id of the message, made by its sender. */
  message_id: string;
  /** The position among all events of the platform’s conversations. */
  seq_id: string;
  /** The platform's id of the sender. */
  sender_id: string;
  /** True if the account of the webhook or stream is the sender. */
  from_me: boolean;
  /** The reaction. */
  emoji: string;
  /** `seq_id` of the message that the event is about. */
  target_seq_id: string;
  /** Why the event cannot be opened, such as `bad_signature`; `deleted` if the message was deleted before it was read. `text` or `emoji` is empty then. Left out if the event was opened. */
  undecryptable?: string;
}

/** A direct message is received. */
export interface MessageReceivedEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'message.received';
  /** When it happened, ISO 8601 with microseconds. */
  created_at: string;
  /** The conversation. */
  conversation_id: string;
  /** Id of the message, made by its sender. */
  message_id: string;
  /** The position among all events of the platform’s conversations. */
  seq_id: string;
  /** The platform's id of the sender. */
  sender_id: string;
  /** True if the account of the webhook or stream is the sender. */
  from_me: boolean;
  /** The text of the message. */
  text: string;
  /** The file that came with the message, as its sender describes it; left out if there is none. */
  attachment?: EventAttachment;
  /** Why the event cannot be opened, such as `bad_signature`; `deleted` if the message was deleted before it was read. `text` or `emoji` is empty then. Left out if the event was opened. */
  undecryptable?: string;
}

/** A direct message is sent. */
export interface MessageSentEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'message.sent';
  /** When it happened, ISO 8601 with microseconds. */
  created_at: string;
  /** The conversation. */
  conversation_id: string;
  /** Id of the message, made by its sender. */
  message_id: string;
  /** The position among all events of the platform’s conversations. */
  seq_id: string;
  /** The platform's id of the sender. */
  sender_id: string;
  /** True if the account of the webhook or stream is the sender. */
  from_me: boolean;
  /** The text of the message. */
  text: string;
  /** The file that came with the message, as its sender describes it; left out if there is none. */
  attachment?: EventAttachment;
  /** Why the event cannot be opened, such as `bad_signature`; `deleted` if the message was deleted before it was read. `text` or `emoji` is empty then. Left out if the event was opened. */
  undecryptable?: string;
}

/** Someone likes one of its tweets. */
export interface TweetLikeEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'tweet.like';
  /** When it happened, ISO 8601. */
  created_at: string;
  /** The platform's id of the tweet. */
  tweet_id: string;
  /** The platform's ids of the users who did it. */
  actor_ids: string[];
  /** Screen names of the users who did it, in the same order. */
  actor_screen_names: string[];
}

/** Someone mentions the account. */
export interface TweetMentionEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'tweet.mention';
  /** When it happened, ISO 8601. */
  created_at: string;
  /** The platform's id of the tweet. */
  tweet_id: string;
  /** The text of the tweet. */
  text: string;
  /** The platform's id of the author. */
  author_id: string;
  /** Screen name of the author. */
  author_screen_name: string;
  /** Name of the author. */
  author_name: string;
}

/** Someone quotes one of its tweets. */
export interface TweetQuoteEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'tweet.quote';
  /** When it happened, ISO 8601. */
  created_at: string;
  /** The platform's id of the tweet. */
  tweet_id: string;
  /** The text of the tweet. */
  text: string;
  /** The platform's id of the author. */
  author_id: string;
  /** Screen name of the author. */
  author_screen_name: string;
  /** Name of the author. */
  author_name: string;
  /** Id of the quoted tweet, if the platform says. */
  quoted_tweet_id: string | null;
}

/** Someone replies to one of its tweets. */
export interface TweetReplyEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'tweet.reply';
  /** When it happened, ISO 8601. */
  created_at: string;
  /** The platform's id of the tweet. */
  tweet_id: string;
  /** The text of the tweet. */
  text: string;
  /** The platform's id of the author. */
  author_id: string;
  /** Screen name of the author. */
  author_screen_name: string;
  /** Name of the author. */
  author_name: string;
  /** Id of the tweet that it answers, if the platform says. */
  in_reply_to_id: string | null;
}

/** Someone retweets one of its tweets. */
export interface TweetRetweetEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'tweet.retweet';
  /** When it happened, ISO 8601. */
  created_at: string;
  /** The platform's id of the tweet. */
  tweet_id: string;
  /** The platform's ids of the users who did it. */
  actor_ids: string[];
  /** Screen names of the users who did it, in the same order. */
  actor_screen_names: string[];
}

/** Someone follows the account. */
export interface UserFollowEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'user.follow';
  /** When it happened, ISO 8601. */
  created_at: string;
  /** The platform's ids of the users who did it. */
  actor_ids: string[];
  /** Screen names of the users who did it, in the same order. */
  actor_screen_names: string[];
}

/** Sent by `POST /webhooks/{id}/test`. */
export interface WebhookTestEvent {
  /** The id of the event. It is the same on every retry and replay. */
  id: string;
  /** The type of the event. */
  type: 'webhook.test';
  /** When it happened, ISO 8601. */
  created_at: string;
  /** The webhook. */
  webhook_id: string;
}

/** Every event that a webhook can get. */
export type WebhookEvent =
  | MessageReceivedEvent
  | MessageSentEvent
  | MessageEditedEvent
  | MessageDeletedEvent
  | MessageReactionAddedEvent
  | MessageReactionRemovedEvent
  | TweetMentionEvent
  | TweetReplyEvent
  | TweetQuoteEvent
  | TweetLikeEvent
  | TweetRetweetEvent
  | UserFollowEvent
  | WebhookTestEvent;
