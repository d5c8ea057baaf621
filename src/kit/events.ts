interface Event<Type extends string> {
  /** The same on every retry and replay: what was seen before can be passed over. */
  id: string;
  type: Type;
  /** ISO 8601. */
  created_at: string;
}

interface Authored {
  tweet_id: string;
  text: string;
  author_id: string;
  author_screen_name: string;
  author_name: string;
}

interface Actors {
  actor_ids: string[];
  actor_screen_names: string[];
}

interface Message {
  conversation_id: string;
  message_id: string;
  seq_id: string;
  sender_id: string;
  from_me: boolean;
  /** Why the event cannot be opened; `deleted` if its message was deleted first. `text` or `emoji` is empty then. */
  undecryptable?: string;
}

interface Attachment {
  /** 1 image, 2 gif, 3 video, 4 audio, 5 file, 6 svg. */
  type: number;
  filename: string;
  /** Bytes before encryption. */
  size: number;
}

type Of<Type extends string, Fields> = Event<Type> & Fields;

/** Every event that a webhook can get (SPEC.md, Payload shapes; DECISIONS.md). */
export type WebhookEvent =
  | Of<'tweet.mention', Authored>
  | Of<'tweet.reply', Authored & { in_reply_to_id: string }>
  | Of<'tweet.quote', Authored & { quoted_tweet_id: string }>
  | Of<'tweet.like' | 'tweet.retweet', { tweet_id: string } & Actors>
  | Of<'user.follow', Actors>
  | Of<'message.received' | 'message.sent', Message & { text: string; attachment?: Attachment }>
  | Of<'message.edited', Message & { text: string; target_seq_id: string }>
  | Of<'message.deleted', Message & { target_seq_id: string }>
  | Of<'message.reactionAdded' | 'message.reactionRemoved', Message & { emoji: string; target_seq_id: string }>
  | Of<'webhook.test', { webhook_id: string }>;
