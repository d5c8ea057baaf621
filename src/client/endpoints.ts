// Printed by `npm run print` from src/actions/.

import type { Bytes } from './bytes.ts';
import { CallGroup, type NoInput, type Optional } from './call.ts';

/** The API account that pays. */
export interface Account {
  /** Id of the account. */
  id: string;
  /** Name of the account. */
  name: string;
  /** Time of creation. */
  created_at: string;
  /** Credit that can be spent. */
  balance: string;
  /** Always `USD`. */
  currency: 'USD';
  /** Dollars of credit below which `account.low_credit` is sent; null for no event. */
  low_credit_threshold: string | null;
  /** The keys of the account, including revoked ones. */
  api_keys: ApiKey[];
}

export interface AccountAuditPage extends Page {
  audit: AuditEntry[];
}

export interface AccountKeysCreateInput {
  /** Name of the key, which lets people distinguish keys. */
  name: string;
  /** True for a key that may only read. */
  read_only?: boolean | undefined;
  /** Groups of endpoints that the key may call; all if null or left out. */
  groups?: ('tweet' | 'user' | 'list' | 'media' | 'article' | 'dm' | 'webhooks' | 'events' | 'connections' | 'capabilities' | 'account')[] | undefined;
  /** Ids of at most 100 connections. The key may use only these as `auth_token`, lists only these, and cannot create, reconnect or delete connections. No restriction if null or left out. */
  connections?: string[] | undefined;
  /** Client addresses from which the key may be used, as CIDR blocks or single addresses; at most 20; any address if null or left out. */
  ip_ranges?: string[] | undefined;
  /** Calls per minute of the key, if this is below the limit of the account. */
  calls_per_minute?: number | undefined;
  /** Dollars that the key may be charged in a day (UTC), an exact decimal; no limit if null or left out. */
  dollars_per_day?: string | undefined;
  /** Time in the future from which the key is refused, ISO 8601; never if null or left out. */
  expires_at?: string | undefined;
}

export interface AccountKeysResult {
  api_keys: ApiKey[];
}

export interface AccountKeysRevokeInput {
  /** Id of the key. */
  id: string;
}

export interface AccountPaymentsPage extends Page {
  payments: Payment[];
}

export interface AccountUpdateInput {
  /** Dollars of credit below which `account.low_credit` is sent, an exact decimal; null for no event. */
  low_credit_threshold?: string | null | undefined;
}

export interface AccountUsageInput {
  /** Start, rounded down to the hour, ISO 8601; 30 days before `to` if left out. At most 400 days before `to`, or 31 with `hour`. */
  from?: string | undefined;
  /** End, ISO 8601; now if left out. */
  to?: string | undefined;
  /** Period of each row. */
  granularity?: 'hour' | 'day' | undefined;
}

export interface AccountWebhooksPage extends Page {
  webhooks: Webhook[];
}

/** Whether the platform supports an action. */
export interface ActionSupport {
  /** Name of the action, such as `tweet/create`. */
  name: string;
  /** HTTP method of the REST call. */
  method: string;
  /** Path of the REST call, below `/v1`. */
  path: string;
  /** False if the call is refused with 501. */
  supported: boolean;
  /** Why the action is not supported; null if it is. */
  reason: string | null;
}

export interface AnyTweet {
  type: 'tweet';
  /** The platform's id of the tweet. */
  id: string;
  /** Address of the tweet. */
  url: string | null;
  /** Address of the tweet under another name of the platform. */
  platformUrl: string | null;
  /** The text of the tweet. */
  text: string;
  /** Name of the client that the tweet was posted with. */
  source: string | null;
  /** Number of retweets. */
  retweetCount: number;
  /** Number of replies. */
  replyCount: number;
  /** Number of likes. */
  likeCount: number;
  /** Number of tweets that quote the tweet. */
  quoteCount: number;
  /** Number of bookmarks. */
  bookmarkCount: number;
  /** Number of views, if known. */
  viewCount: number | null;
  /** When the tweet was posted. */
  createdAt: string;
  /** Language code. */
  lang: string;
  /** True if the tweet is a reply. */
  isReply: boolean;
  /** Id of the tweet that this tweet replies to. */
  inReplyToId: string | null;
  /** Id of the user whom this tweet replies to. */
  inReplyToUserId: string | null;
  /** Id of the first tweet of the thread. */
  conversationId: string | null;
  /** Photos, videos and animations. */
  media: Media[];
  /** The marked parts of the text. */
  entities: Entities;
  author: Author;
  /** Id of the tweet that this tweet quotes, even if `quoted_tweet` is null because that tweet is gone or hidden. */
  quoted_tweet_id: string | null;
}

export interface AnyUser extends ShownUser {
  /** Self-description of the user. */
  description: string;
  /** Location that the user states. */
  location: string | null;
  /** Website of the user. */
  url: string | null;
  /** Address of the banner. */
  coverPicture: string | null;
  /** True if the user is verified. */
  isVerified: boolean;
  /** True if the user is verified by a paid subscription. */
  isBlueVerified: boolean;
  /** Kind of verified account, such as `business`. */
  verifiedType: string | null;
  /** True if the actor may send the user direct messages. */
  canDm: boolean;
  /** Number of followers. */
  followers: number;
  /** Number of users whom this user follows. */
  following: number;
}

export interface AnyUserCard extends AnyUser {
  /** True if only approved followers see the tweets. */
  protected: boolean;
  /** When the user joined. */
  createdAt: string;
}

/** A key of the account, without its secret. */
export interface ApiKey {
  /** Id of the key. */
  id: string;
  /** Name of the key. */
  name: string;
  /** The readable beginning of the key. */
  prefix: string;
  /** True if the key may only read. */
  read_only: boolean;
  /** Groups of endpoints that the key may call; null for all. */
  groups: ('tweet' | 'user' | 'list' | 'media' | 'article' | 'dm' | 'webhooks' | 'events' | 'connections' | 'capabilities' | 'account')[] | null;
  /** Ids of the connections that the key may use as `auth_token`; null for any `auth_token`. */
  connections: string[] | null;
  /** Client addresses from which the key may be used; null for any address. */
  ip_ranges: string[] | null;
  /** Calls per minute of the key; null for the limit of the account. */
  calls_per_minute: number | null;
  /** Dollars that the key may be charged in a day (UTC); null for no limit. */
  dollars_per_day: string | null;
  /** When the key expires; null for never. */
  expires_at: string | null;
  /** Time of creation. */
  created_at: string;
  /** Approximate time of the last use. */
  last_used_at: string | null;
  /** When the key was revoked. */
  revoked_at: string | null;
  /** False for the demo key of the sandbox, which cannot be revoked over the API. */
  revocable: boolean;
}

/** An article. */
export interface Article extends ArticleSummary {
  /** The content of the article as Markdown. */
  content: string;
}

export interface ArticleChoice {
  /** The platform's id of the article. */
  article_id: string;
}

export interface ArticleCreateInput {
  /** Title, up to 100 characters. */
  title: string;
  /** Markdown (CommonMark), up to 100,000 characters: headings, bold, italic, lists, links, images, code, quotes. HTML becomes plain text, and so do extensions of CommonMark, such as tables. Up to 50 images are fetched and uploaded. */
  content: string;
  /** Id of uploaded media to be the cover. */
  cover_media_id?: string | undefined;
  /** Address from which the gateway downloads the cover picture. */
  cover_image_url?: string | undefined;
  /** The cover as base64, or as a data: URI of base64. */
  cover_image_base64?: Bytes | undefined;
  /** Publish the article at once. Premium accounts only. */
  publish?: boolean | undefined;
}

export interface ArticleListInput extends PageInput {
  /** Only articles of this status; drafts and published ones if left out. */
  status?: ArticleStatus | undefined;
}

export interface ArticleListPage extends Page {
  article_count: number;
  articles: ArticleSummary[];
}

export interface ArticlePlace extends ArticleChoice {
  /** Draft or published. */
  status: ArticleStatus;
  /** Id of the tweet that wraps the article; null for a draft. */
  tweet_id: string | null;
  /** Address of a draft, for its author only; null if it is published. */
  draft_url: string | null;
  /** Public address of a published article; null for a draft. */
  public_url: string | null;
  /** Id of the cover; null if there is none. */
  cover_media_id: string | null;
}

export interface ArticlePublishResult extends ArticleChoice {
  /** Id of the tweet that wraps the article; null for a draft. */
  tweet_id: string | null;
  /** Public address of a published article; null for a draft. */
  public_url: string | null;
}

export type ArticleStatus = 'draft' | 'published';

/** An article, without its content. */
export interface ArticleSummary extends ArticlePlace {
  /** Title of the article. */
  title: string;
  /** When the article was created. */
  created_at: string;
  /** When the article was last edited. */
  updated_at: string;
}

export interface ArticleUpdateInput extends ArticleChoice {
  /** Title, up to 100 characters. */
  title?: string | undefined;
  /** Markdown (CommonMark), up to 100,000 characters: headings, bold, italic, lists, links, images, code, quotes. HTML becomes plain text, and so do extensions of CommonMark, such as tables. Up to 50 images are fetched and uploaded. */
  content?: string | undefined;
  /** Id of uploaded media to be the cover. */
  cover_media_id?: string | undefined;
  /** Address from which the gateway downloads the cover picture. */
  cover_image_url?: string | undefined;
  /** The cover as base64, or as a data: URI of base64. */
  cover_image_base64?: Bytes | undefined;
}

export interface ArticleUpdateResult extends ArticleChoice {
  /** The parts that changed. */
  updated: { title: boolean; content: boolean; cover_media_id: string | null; };
}

/** An encrypted file that came with a message. */
export interface Attachment {
  /** The platform's key of the encrypted file. */
  media_hash_key: string;
  /** 1 image, 2 GIF, 3 video, 4 audio, 5 file, 6 SVG. */
  type: number;
  /** Name of the file. */
  filename: string;
  /** Size in bytes before encryption. */
  size: number;
  /** Width in pixels. */
  width: number | null;
  /** Height in pixels. */
  height: number | null;
}

/** Who made the change. */
export interface AuditAuthor {
  /** `key` for a call, `operator` for a command, `service` for a sign-in or the end of a login. */
  type: 'key' | 'operator' | 'service';
  /** Id of the API key of the call; null for the others. */
  key_id: string | null;
  /** Name of this key at that time; null for the others. */
  key_name: string | null;
}

/** A change to an API key, webhook, connection, credit or account setting. */
export interface AuditEntry {
  /** Id of the entry. */
  id: string;
  /** Time of the change. */
  at: string;
  /** What was changed, such as `key.created`. */
  action: 'key.created' | 'key.revoked' | 'webhook.created' | 'webhook.updated' | 'webhook.secret_rotated' | 'webhook.paused' | 'webhook.resumed' | 'webhook.deleted' | 'credit.added' | 'account.updated' | 'connection.created' | 'connection.reconnect_begun' | 'connection.connected' | 'connection.deleted' | 'connection.expired' | 'connection.revoked';
  by: AuditAuthor;
  subject: AuditSubject;
  /** Further facts, such as the restrictions of a new key. They contain no secret. */
  details: Record<string, string>;
}

/** The object that was changed. */
export interface AuditSubject {
  /** Type of the object. */
  type: 'key' | 'webhook' | 'payment' | 'account' | 'connection';
  /** Id of the object. */
  id: string;
  /** Name of the key or the account, host of the webhook, screen name of the connection, or description of the payment, at that time. */
  name: string;
}

export interface Author extends AnyUser {
  type: 'user';
  /** Address of the user's page on the platform. */
  platformUrl: string | null;
  /** Number of tweets that the user has liked. */
  favouritesCount: number;
  /** Number of tweets that the user has posted. */
  statusesCount: number;
  /** Number of tweets with media. */
  mediaCount: number;
  /** When the user joined. */
  createdAt: string | null;
  /** Ids of pinned tweets. */
  pinnedTweetIds: string[];
}

export interface Balance {
  /** Credit that can be spent. */
  balance: string;
  /** Credit that calls in flight have reserved. While the store cannot be written, it also contains the reservations of failed calls, until the store can release them. */
  held: string;
  /** Always `USD`. */
  currency: 'USD';
}

/** What the connected platform supports. */
export interface Capabilities {
  /** Kind of the connected platform. */
  platform: string;
  /** All actions of the API. */
  actions: ActionSupport[];
  /** Types of events that the platform reports. */
  event_types: ('message.received' | 'message.sent' | 'message.edited' | 'message.deleted' | 'message.reactionAdded' | 'message.reactionRemoved' | 'tweet.mention' | 'tweet.reply' | 'tweet.quote' | 'tweet.like' | 'tweet.retweet' | 'user.follow')[];
  text: TextLimit;
  /** The kinds of media that the platform accepts. */
  media: MediaLimit[];
  /** The sign-in that `POST /connections` begins; null if the platform has none, or if it is not set up. */
  sign_in: SignIn | null;
}

export interface ChangedMessage {
  /** Always true. A failed request returns an error instead. */
  ok: boolean;
  /** The platform's id of the conversation. */
  conversation_id: string;
  /** Id of the message that was changed. */
  target_seq_id: string;
}

/** The user of the platform; null before the first sign-in. */
export interface ConnectedUser {
  /** The platform's id of the user. */
  id: string;
  /** Screen name of the user, without @. */
  userName: string;
  /** Display name of the user. */
  name: string;
  /** URL of the profile picture. */
  profilePicture: string;
}

/** A login of a platform user that the account may use. */
export interface Connection {
  /** Id of the connection. It may stand for `auth_token` everywhere. */
  id: string;
  /** `active` if calls can use the connection; `expired` and `revoked` need a reconnect. */
  status: 'pending' | 'active' | 'expired' | 'revoked' | 'failed';
  user: ConnectedUser | null;
  /** What the login allows, or what the sign-in asks for. */
  scopes: string[];
  /** Time of creation. */
  created_at: string;
  /** Approximate time of the last use. */
  last_used_at: string | null;
  /** When the pending sign-in ends, or the login that cannot be refreshed; otherwise null. */
  expires_at: string | null;
  /** Until when somebody may complete the sign-in that has begun; null if there is none, or not any more. */
  sign_in_ends_at: string | null;
  /** Why the connection does not work, or why the last reconnect failed. */
  error: string | null;
}

export interface ConnectionChoice {
  /** Id of the connection. */
  id: string;
}

export interface ConnectionsCreateInput {
  /** Scopes to request. Default: all except those of direct messages. `GET /capabilities` lists all scopes. */
  scopes?: string[] | undefined;
  /** Page of your program that gets the person back, with `connection` and `status` in its query. Its origin must be one of `CORS_ORIGINS` or that of `PUBLIC_URL`. */
  return_to?: string | undefined;
  /** AT Protocol only: handle or DID of the user. */
  identifier?: string | undefined;
  /** AT Protocol only: an app password of the user. The connection is then active at once, without a page. */
  app_password?: string | undefined;
}

export interface ConnectionsDeleteResult extends ConnectionChoice {
  /** Always true. A failed request returns an error instead. */
  deleted: boolean;
}

export interface ConnectionsListPage extends Page {
  connections: Connection[];
}

export interface ConnectionsReconnectInput extends ConnectionChoice {
  /** Scopes to request. Default: the current scopes of the connection. */
  scopes?: string[] | undefined;
  /** Page of your program that gets the person back, with `connection` and `status` in its query. Its origin must be one of `CORS_ORIGINS` or that of `PUBLIC_URL`. */
  return_to?: string | undefined;
  /** AT Protocol only: handle or DID of the user. */
  identifier?: string | undefined;
  /** AT Protocol only: an app password of the user. The connection is then active at once, without a page. */
  app_password?: string | undefined;
}

/** The end-to-end encrypted messages between two users. */
export interface Conversation {
  /** The platform's id of the conversation. */
  conversation_id: string;
  /** Kind of the conversation, such as `one_to_one`. */
  type: string;
  /** True if the actor muted the conversation. */
  is_muted: boolean;
  /** True if there are older messages than the last one. */
  has_more: boolean;
  /** Present if `encryption_code` was given. */
  last_message?: { text: string; sender_id: string; from_me: boolean; seq_id: string; createdAt: string; };
  participant_count: number;
  /** Both users. */
  participants: Participant[];
}

/** A new key of the account. */
export interface CreatedApiKey extends ApiKey {
  /** The key. Only this response contains it. */
  key: string;
}

/** A webhook that was registered. */
export interface CreatedWebhook extends WebhookChoice {
  /** Address that events are sent to. */
  url: string;
  /** True once the receiver has passed the CRC handshake. */
  valid: boolean;
  /** When the webhook was registered. */
  created_at: string;
  /** The secret that signs the deliveries. Only this response contains it. */
  secret: string;
  /** The problem with the receiver, the credentials, the code or the connection to the platform; null if there is none. */
  last_error: string | null;
}

/** The delivery of one event to a webhook, as of its last attempt. */
export interface Delivery {
  /** Id of the webhook. */
  webhook_id: string;
  /** Id of the event: the same on every retry and replay. */
  event_id: string;
  /** Type of the event, such as `tweet.like`. */
  type: string;
  /** Number of attempts so far. */
  attempt: number;
  /** When the last attempt was made. */
  at: string | null;
  /** `waiting`, `retrying`, `delivered` or `given_up`. */
  outcome: 'waiting' | 'retrying' | 'delivered' | 'given_up';
  /** HTTP status of the receiver's response. */
  response_code: number | null;
  /** Milliseconds until the receiver responded. */
  duration_ms: number | null;
  /** Why the event was not delivered. */
  error: string | null;
  /** When the next attempt is due. */
  next_attempt_at: string | null;
}

/** One request that tried to deliver an event. */
export interface DeliveryAttempt {
  /** Number of the attempt, from 1. A replay begins with 1 again. */
  attempt: number;
  /** When the request was sent. */
  at: string;
  /** `delivered` or `failed`. */
  outcome: 'delivered' | 'failed';
  /** HTTP status of the receiver's response. */
  response_code: number | null;
  /** Milliseconds until the receiver responded. */
  duration_ms: number;
  /** Why the event was not delivered. */
  error: string | null;
  /** The headers of the request, with its signatures; empty if no request was sent. */
  request_headers: Record<string, string>;
  /** The first 1 KiB of the response body; null if there was no response. Bytes that are not text are replaced with U+FFFD. */
  response_excerpt: string | null;
}

/** The delivery of one event to a webhook, with its attempts. */
export interface DeliveryDetail extends Delivery {
  /** The last 10 attempts, oldest first. */
  attempts: DeliveryAttempt[];
}

/** A direct message, decrypted with the encryption code. */
export interface DirectMessage {
  /** Id of the message, generated by the sender's client. */
  message_id: string;
  /** Id of the message for edits, deletions and reactions. */
  seq_id: string;
  /** The platform's id of the sender. */
  sender_id: string;
  /** True if the actor is the sender. */
  from_me: boolean;
  /** Empty if the message has no text, was deleted, or cannot be decrypted. */
  text: string;
  /** When the message was sent. */
  createdAt: string;
  /** True if the text was edited. */
  edited: boolean;
  /** True if the message was deleted, for both users or for the actor. */
  deleted: boolean;
  /** The reactions to the message. */
  reactions: { emoji: string; sender_id: string; from_me: boolean; }[];
  /** The file that came with the message. */
  attachment: Attachment | null;
  /** Why the message cannot be decrypted, such as `bad_signature`; its text is empty then. */
  undecryptable: string | null;
}

export interface DmDeleteInput extends MessageChoice {
  /** True deletes the message for both users, which is possible for the actor's own messages only. If left out, true for those and false for others. */
  for_all?: boolean | undefined;
}

export interface DmEditInput extends MessageChoice {
  /** Text of the message, up to 10,000 characters. */
  text: string;
}

export interface DmEditResult extends SentMessage {
  /** Id of the message that was changed. */
  target_seq_id: string;
}

export interface DmEnrollInput {
  /** Makes new keys for an account that has some, such as after an interrupted enrolment. The private keys of the old ones are deleted, so that messages sealed for them cannot be read any more. */
  replace_keys?: boolean | undefined;
}

export interface DmEnrollResult {
  /** Always true. A failed request returns an error instead. */
  ok: boolean;
}

export interface DmListInput {
  /** Items on a page, 1 to 100. */
  count?: number | undefined;
  /** `next_cursor.cursor_id` of the previous page. Send both parts or neither. */
  cursor_id?: string | undefined;
  /** `next_cursor.graph_snapshot_id` of the previous page. Send both parts or neither. */
  graph_snapshot_id?: string | undefined;
}

export interface DmListPage {
  userId: string;
  has_message_requests: boolean;
  conversation_count: number;
  has_more: boolean;
  next_cursor: { cursor_id: string; graph_snapshot_id: string; } | null;
  conversations: Conversation[];
}

export interface DmMessagesInput extends PageInput {
  /** Id of a conversation of the actor, such as `1089000000:1789000000`. */
  conversation_id: string;
}

export interface DmMessagesPage extends Page {
  /** The platform's id of the conversation. */
  conversation_id: string;
  messages: DirectMessage[];
}

export interface DmReactInput extends MessageChoice {
  /** One emoji, with or without its variation selectors (U+FE0F). The spelling that Unicode recommends is sent. */
  emoji: string;
}

export interface DmReactResult extends ChangedMessage {
  /** The emoji. */
  emoji: string;
}

export interface DmSendInput {
  /** Id of a conversation of the actor, such as `1089000000:1789000000`. */
  conversation_id?: string | undefined;
  /** The platform's id of the user to write to. */
  user_id?: string | undefined;
  /** Text of the message, up to 10,000 characters. */
  text: string;
}

export interface DmSendMediaInput {
  /** Id of a conversation of the actor, such as `1089000000:1789000000`. */
  conversation_id: string;
  /** URL of the file. */
  image_url?: string | undefined;
  /** The file as base64, with or without a data: prefix. */
  image_base64?: Bytes | undefined;
  /** Caption. */
  text?: string | undefined;
  /** 1 image (if left out), 2 GIF, 3 video, 4 audio, 5 file, 6 SVG. */
  type?: number | undefined;
  /** Name of the file; made from the type if left out. */
  filename?: string | undefined;
  /** Width in pixels; read from the bytes if left out. */
  width?: number | undefined;
  /** Height in pixels; read from the bytes if left out. */
  height?: number | undefined;
  /** True to keep the metadata of pictures, such as position and camera, which is removed otherwise. */
  keep_metadata?: boolean | undefined;
}

export interface DmSendMediaResult extends SentMessage {
  /** The platform's key of the encrypted file. */
  media_hash_key: string;
  /** Name of the file. */
  filename: string;
  /** 1 image, 2 GIF, 3 video, 4 audio, 5 file, 6 SVG. */
  type: number;
  /** Size in bytes before encryption. */
  size: number;
}

export interface DmSendResult extends SentMessage {
  /** Id of the message for edits, deletions and reactions. */
  seq_id: string;
}

/** Percentiles of the durations of successful calls, with an error of at most 9 %. */
export interface Durations {
  /** The duration in milliseconds that half of the calls did not exceed. */
  p50: number;
  /** The duration that 95 % of the calls did not exceed. */
  p95: number;
  /** The duration that 99 % of the calls did not exceed. */
  p99: number;
}

/** The marked parts of the text of a tweet. */
export interface Entities {
  /** Hashtags (`#word`). */
  hashtags: { text: string; indices: number[]; }[];
  /** Symbols (`$WORD`). */
  symbols: { text: string; indices: number[]; }[];
  /** Times in a video. */
  timestamps: { text: string; indices: number[]; }[];
  /** Links. */
  urls: { url: string; expanded_url: string; display_url: string; indices: number[]; }[];
  /** Users who are mentioned (`@name`). */
  user_mentions: { id: string; screen_name: string; name: string; indices: number[]; }[];
}

export interface EventsInput {
  /** Types of events; all but those of account events if left out. */
  types?: readonly ('message.received' | 'message.sent' | 'message.edited' | 'message.deleted' | 'message.reactionAdded' | 'message.reactionRemoved' | 'tweet.mention' | 'tweet.reply' | 'tweet.quote' | 'tweet.like' | 'tweet.retweet' | 'user.follow' | 'account.low_credit' | 'connection.expired')[] | undefined;
  /** The same as the header `Last-Event-ID`. */
  last_event_id?: string | undefined;
}

export interface EventsTokenInput {
  /** Types of events; all but those of account events if left out. */
  types?: ('message.received' | 'message.sent' | 'message.edited' | 'message.deleted' | 'message.reactionAdded' | 'message.reactionRemoved' | 'tweet.mention' | 'tweet.reply' | 'tweet.quote' | 'tweet.like' | 'tweet.retweet' | 'user.follow' | 'account.low_credit' | 'connection.expired')[] | undefined;
}

export interface EventsTokenResult {
  /** The token, for the query parameter `token` of `GET /events`. */
  token: string;
  /** When the token ceases to open the stream. */
  expires_at: string;
}

export interface ListMembersInput extends PageInput {
  /** The platform's id of the list. */
  listId: string;
}

export interface ListMembersPage extends UserPage {
  listId: string;
  members: UserCard[];
}

/** A photo, video or animation of a tweet. */
export interface Media {
  /** Kind of media, such as `photo` or `video`. */
  type: string;
  /** Address of the picture. */
  url: string;
  /** Address of the page of the media. */
  expanded_url: string | null;
  /** Address of the video; null for a photo. */
  video_url: string | null;
  /** Width in pixels. */
  width: number | null;
  /** Height in pixels. */
  height: number | null;
  /** Duration of a video in milliseconds. */
  duration_ms: number | null;
}

/** The maximum size of a kind of media. */
export interface MediaLimit {
  /** `photo`, `gif` or `video`; or `audio`, `svg` or `file`, which can be sent in messages only. */
  kind: string;
  /** Maximum size in bytes. */
  max_bytes: number;
}

export interface MediaUploadInput {
  /** URL of the file. */
  media_url?: string | undefined;
  /** The file as base64, or as a data: URI of base64. */
  media_data?: Bytes | undefined;
  /** MIME type of the file. Required with `media_data`, unless that is a data: URI. */
  media_type?: string | undefined;
  /** True to keep the metadata of pictures, such as position and camera, which is removed otherwise. */
  keep_metadata?: boolean | undefined;
}

export interface MediaUploadResult {
  /** Id of the media, for the same actor to attach. */
  media_id: string;
  /** MIME type, detected from the bytes. */
  media_type: string;
  /** Size in bytes, after metadata was removed. */
  size: number;
}

export interface MessageChoice {
  /** Id of a conversation of the actor, such as `1089000000:1789000000`. */
  conversation_id: string;
  /** `seq_id` of the message. */
  seq_id: string;
}

/** A tweet that a look-up did not find. */
export interface MissingTweet {
  /** The platform's id of the tweet. */
  id: string;
  /** Why the object is missing: `not_found`, `deleted`, `suspended`, `protected`, or `forbidden` for any other refusal of the platform. */
  reason: 'not_found' | 'deleted' | 'suspended' | 'protected' | 'forbidden';
}

/** A user whom a look-up did not find, by the id or the name of the request. */
export interface MissingUser {
  /** The platform's id of the user. */
  id?: string;
  /** Screen name of the user, without @. */
  userName?: string;
  /** Why the object is missing: `not_found`, `deleted`, `suspended`, `protected`, or `forbidden` for any other refusal of the platform. */
  reason: 'not_found' | 'deleted' | 'suspended' | 'protected' | 'forbidden';
}

export interface Page {
  has_more: boolean;
  next_cursor: string | null;
}

export interface PageInput {
  /** Items on a page, 1 to 100. */
  count?: number | undefined;
  /** `next_cursor` of the previous page; left out for the first page. */
  cursor?: string | undefined;
}

/** A user who takes part in a conversation. */
export interface Participant extends ShownUser {
  type: 'user';
  /** Website of the user. */
  url: string | null;
  /** True if the platform verified the account. */
  isVerified: boolean;
  /** True for a premium account. */
  isBlueVerified: boolean;
  /** True if the actor may write to the user. */
  canDm: boolean;
  /** False if no message can be encrypted for the user. */
  hasPublicKey: boolean;
  /** When the account was created. */
  createdAt: string;
}

/** Credit that was paid in. */
export interface Payment {
  /** Id of the payment. */
  id: string;
  /** Amount that was paid in. */
  amount: string;
  /** Always `USD`. */
  currency: 'USD';
  /** Time of the payment. */
  created_at: string;
  /** Text of the payment. */
  description: string;
}

export interface QuotedTweet extends AnyTweet {
  /** Always null. */
  quoted_tweet: Record<string, unknown> | null;
}

export interface SentMessage {
  /** Always true. A failed request returns an error instead. */
  ok: boolean;
  /** Id of the message, generated by the sender's client. */
  message_id: string;
  /** The platform's id of the conversation. */
  conversation_id: string;
  /** The text, as sent. */
  text: string;
}

export interface ShownUser {
  /** The platform's id of the user. */
  id: string;
  /** Screen name of the user, without @. */
  userName: string;
  /** Name of the user. */
  name: string;
  /** Address of the profile picture. */
  profilePicture: string | null;
}

/** The sign-in of platform users, by which connections are made. */
export interface SignIn {
  /** All scopes that a sign-in may ask for. */
  scopes: string[];
  /** The scopes that a sign-in asks for by default. */
  default_scopes: string[];
}

/** A sign-in that has begun. */
export interface StartedConnection extends ConnectionChoice {
  /** `pending`; `active` if it was made with an app password; or the status before a reconnect. */
  status: 'pending' | 'active' | 'expired' | 'revoked' | 'failed';
  /** The page to open in the browser of the person who signs in. It works once, within 10 minutes; null for an app password. */
  authorize_url: string | null;
  /** When the page stops working; null for an app password. */
  expires_at: string | null;
}

export interface TargetUser {
  /** The platform's id of the user. */
  userId: string;
  /** Screen name of the user, without @. */
  userName: string;
  /** Name of the user. */
  name: string;
}

export interface TargetUserInput {
  /** Screen name of the user. */
  username?: string | undefined;
  /** The platform's id of the user; overrides `username`. */
  user_id?: string | undefined;
}

/** The maximum length of a tweet. */
export interface TextLimit {
  /** How the length is counted: `weighted_characters`, as twitter-text counts, or `graphemes`, the characters that a reader sees. */
  unit: string;
  /** Maximum length of a tweet. */
  max_length: number;
  /** Maximum length for a premium account; null if the platform has no such accounts. */
  max_length_premium: number | null;
  /** Maximum size in bytes of UTF-8; null if only the length counts. */
  max_bytes: number | null;
}

/** A short post. */
export interface Tweet extends AnyTweet {
  quoted_tweet: QuotedTweet | null;
}

export interface TweetAdvancedSearchInput extends PageInput {
  /** Words, "exact phrases" and operators: `from:`, `to:`, `since:`, `until:`, `filter:`, `lang:`, `min_faves:` and others (docs/rest.md, Tweets). */
  q: string;
  /** Newest first, or most engaging first. */
  product?: 'Latest' | 'Top' | undefined;
}

export interface TweetAdvancedSearchPage extends TweetPage {
  query: string;
}

export interface TweetBookmarkResult extends TweetResult {
  /** Always true. A failed request returns an error instead. */
  bookmarked: boolean;
}

export interface TweetChoice {
  /** The platform's id of the tweet. */
  tweet_id: string;
}

export interface TweetCreateInput {
  /** The platform limits the length (`text` of `capabilities`): the sandbox accepts up to 280 weighted characters, or 25,000 from a premium account. Required if there is no media. */
  text?: string | undefined;
  /** Id of the tweet to reply to. */
  reply_to_tweet_id?: string | undefined;
  /** Id of the tweet to quote. */
  quote_tweet_id?: string | undefined;
  /** Address of the tweet to quote, instead of `quote_tweet_id`: `<user>/status/<id>` or `i/web/status/<id>` on x.com, twitter.com (also `www.` and `mobile.`) or the platform's own host, with or without a scheme. */
  quote_tweet_url?: string | undefined;
  /** Ids of uploaded media to attach: up to four photos, or one video, or one GIF. */
  media_ids?: string[] | undefined;
  /** URLs of media to download and attach after the media in `media_ids`. */
  media_urls?: string[] | undefined;
  /** True to keep the metadata of pictures in `media_urls` (position, camera), which is removed otherwise. */
  keep_metadata?: boolean | undefined;
  /** Descriptions of the media for people who cannot see it, in the order of `media_ids` and then `media_urls`; empty or null for none. X and the sandbox accept up to 1,000 characters each. */
  media_alt_texts?: (string | null)[] | undefined;
  /** Languages of the text (BCP 47). Without them, the platform may detect the language. The sandbox ignores them. */
  langs?: string[] | undefined;
}

export interface TweetCreateResult {
  /** The platform's id of the tweet. */
  id: string;
  /** The text of the tweet, as posted. */
  text: string;
  /** When the tweet was posted. */
  createdAt: string;
  /** True while other users cannot see the tweet yet. */
  pending_moderation: boolean;
  /** Id of the community; empty if the tweet is in no community. */
  community_id: string;
}

export interface TweetDeleteResult extends TweetResult {
  /** Always true. A failed request returns an error instead. */
  deleted: boolean;
}

export interface TweetFavoriteResult extends TweetResult {
  /** Always true. A failed request returns an error instead. */
  liked: boolean;
}

export interface TweetLikersPage extends UserPage, TweetResult {
  users: UserCard[];
}

export interface TweetLookupInput {
  /** Ids of tweets, at most 100 different ones. */
  ids: readonly string[];
}

export interface TweetLookupResult {
  tweets: Tweet[];
  /** The tweets that were not found. */
  missing: MissingTweet[];
}

export interface TweetPage extends Page {
  tweet_count: number;
  tweets: Tweet[];
}

export interface TweetResult {
  /** The platform's id of the tweet. */
  tweetId: string;
}

export interface TweetRetweetResult extends TweetResult {
  /** Always true. A failed request returns an error instead. */
  retweeted: boolean;
}

export interface TweetUnbookmarkResult extends TweetResult {
  /** Always true. A failed request returns an error instead. */
  unbookmarked: boolean;
}

export interface TweetUnlikeResult extends TweetResult {
  /** Always true. A failed request returns an error instead. */
  unliked: boolean;
}

export interface TweetUnretweetResult extends TweetResult {
  /** Always true. A failed request returns an error instead. */
  unretweeted: boolean;
}

export interface Usage {
  from: string;
  to: string;
  granularity: 'hour' | 'day';
  total: { calls: number; charged: string; platform_cost: string; };
  usage: UsageRow[];
}

/** The calls of one action in one hour or day. */
export interface UsageRow {
  /** When the hour or day begins. */
  period: string;
  /** Name of the action, such as `user/info`. `graphql` for GraphQL requests that were refused as a whole. */
  endpoint: string;
  /** Number of successful calls that were charged. */
  calls: number;
  /** Cost of the calls. */
  charged: string;
  /** Estimated price of the calls at the platform, an upper bound; 0 if the platform has no prices. It is not charged. */
  platform_cost: string;
  /** Number of failed calls by error code, such as `rate_limited`. */
  errors: Record<string, number>;
  /** Time that the calls took inside the service; null if it is not known. */
  duration_ms: Durations | null;
}

/** The history of an account. */
export interface UserAbout extends ShownUser {
  /** When the account was created. */
  createdAt: string;
  /** True if the user is verified. */
  isVerified: boolean;
  /** True if the user is verified by a paid subscription. */
  isBlueVerified: boolean;
  /** True if the user showed an identity document. */
  isIdentityVerified: boolean;
  /** When the user was verified. Has no value if the user is not verified or the day is not known. */
  verifiedSince: string;
  /** Country or region of the account. */
  accountBasedIn: string;
  /** The client platform that the account was created with. */
  createdVia: string;
  /** Changes of the screen name. */
  usernameChanges: { count: number; lastChangedAt: string; };
}

export interface UserAffiliatesPage extends UserPage {
  userName: string;
  affiliates: UserCard[];
}

export interface UserArticlesTweetsPage extends TweetPage {
  userName: string;
  userId: string;
}

export interface UserBlockResult extends TargetUser {
  /** True if the actor is blocking the user now. */
  blocking: boolean;
}

export interface UserBookmarksPage extends TweetPage {
  userId: string;
}

export interface UserCard extends AnyUserCard {
  type: 'user';
  /** Number of tweets that the user has posted. */
  tweets: number;
  /** Number of lists that the user is on. */
  listed: number;
}

export interface UserFollowResult extends TargetUser {
  /** True if the actor follows the user now. */
  following: boolean;
  /** True if the user has not accepted the follow request yet. */
  followRequestSent: boolean;
  /** True if only approved followers see the tweets. */
  protected: boolean;
}

export interface UserFollowersPage extends UserPage {
  userName: string;
  followers: UserCard[];
}

export interface UserFollowersYouKnowInput extends PageInput {
  /** Screen name of the user. */
  user_name?: string | undefined;
  /** The platform's id of the user; overrides `user_name`. */
  user_id?: string | undefined;
}

export interface UserFollowersYouKnowPage extends UserPage {
  userId: string;
  targetUserId: string;
  followers_you_know: UserCard[];
}

export interface UserFollowingPage extends UserPage {
  userName: string;
  following: UserCard[];
}

export interface UserInput {
  /** Screen name of the user. */
  userName?: string | undefined;
  /** The platform's id of the user; overrides `userName`. */
  userId?: string | undefined;
}

export interface UserLookupInput {
  /** Ids of users, at most 100 different ones. */
  ids?: readonly string[] | undefined;
  /** Screen names of users, at most 100 different ones. */
  userNames?: readonly string[] | undefined;
}

export interface UserLookupResult {
  users: UserProfile[];
  /** The users that were not found. */
  missing: MissingUser[];
}

export interface UserMuteResult extends TargetUser {
  /** True if the actor is muting the user now. */
  muting: boolean;
}

export interface UserPage extends Page {
  user_count: number;
}

export interface UserProfile extends AnyUserCard {
  /** Number of tweets that the user has liked. */
  favouritesCount: number;
  /** Number of tweets that the user has posted. */
  statusesCount: number;
  /** Number of tweets with media. */
  mediaCount: number;
  /** Number of lists that the user is on. */
  listedCount: number;
  /** Ids of pinned tweets. */
  pinnedTweetIds: string[];
}

export interface UserSearchInput extends PageInput {
  /** Words to find in the screen name, the name or the description. All words must match. */
  q: string;
}

export interface UserSearchPage extends UserPage {
  query: string;
  users: UserCard[];
}

/** An address that gets an actor's activity. */
export interface Webhook extends WebhookChoice {
  /** Address that events are sent to. */
  url: string;
  /** True once the receiver has passed the CRC handshake. */
  valid: boolean;
  /** When the webhook was registered. */
  created_at: string;
  /** Types of events to deliver; null for all types but those of account events. */
  events: ('message.received' | 'message.sent' | 'message.edited' | 'message.deleted' | 'message.reactionAdded' | 'message.reactionRemoved' | 'tweet.mention' | 'tweet.reply' | 'tweet.quote' | 'tweet.like' | 'tweet.retweet' | 'user.follow' | 'account.low_credit' | 'connection.expired')[] | null;
  /** True if the webhook gets message events. */
  has_encryption_code: boolean;
  /** When the CRC handshake last passed. */
  last_validated_at: string | null;
  /** When an event was last delivered. */
  last_delivery_at: string | null;
  /** The problem with the receiver, the credentials, the code or the connection to the platform; null if there is none. */
  last_error: string | null;
  /** True while nothing is delivered, by choice of the account. */
  paused: boolean;
  /** `active`: events are delivered. `pending`: the first handshake has not ended. `invalid`: the handshake failed, or the receiver responded with 410. `paused`: the account paused it. `stalled`: it is valid, but something keeps events from being delivered. */
  state: 'active' | 'pending' | 'invalid' | 'paused' | 'stalled';
  /** Why the webhook is not active, how many events wait, and what to do; null if it is active. */
  state_reason: string | null;
}

export interface WebhookChoice {
  /** Id of the webhook. */
  id: string;
}

/** The outcome of a test event. */
export interface WebhookTest {
  /** True if the receiver responded with 2xx. */
  delivered: boolean;
  /** HTTP status of the receiver's response. */
  response_code: number | null;
  /** Milliseconds until the receiver responded. */
  duration_ms: number;
  /** Why the event was not delivered. */
  error: string | null;
}

export interface WebhooksCreateInput {
  /** URL to send events to: `https`, or `http://localhost` for testing; at most 200 characters. */
  url: string;
  /** Types of events to deliver; all types but those of account events if null or left out. */
  events?: ('message.received' | 'message.sent' | 'message.edited' | 'message.deleted' | 'message.reactionAdded' | 'message.reactionRemoved' | 'tweet.mention' | 'tweet.reply' | 'tweet.quote' | 'tweet.like' | 'tweet.retweet' | 'user.follow' | 'account.low_credit' | 'connection.expired')[] | null | undefined;
  /** Secret that signs the deliveries, 16 to 128 characters; generated if left out. */
  secret?: string | undefined;
}

export interface WebhooksDeleteResult extends WebhookChoice {
  /** Always true. A failed request returns an error instead. */
  deleted: boolean;
}

export interface WebhooksDeliveriesPage extends Page {
  deliveries: Delivery[];
}

export interface WebhooksDeliveryInput extends WebhookChoice {
  /** Id of the event. */
  event_id: string;
}

export interface WebhooksReplayInput {
  /** Id of the webhook; all valid webhooks if left out. */
  webhook_id?: string | undefined;
  /** `failed` for the events whose last attempt failed; all events if left out. */
  only?: 'failed' | undefined;
  /** Only events since this time, ISO 8601; all of the last 24 hours if left out. */
  since?: string | undefined;
}

export interface WebhooksReplayResult {
  /** Number of events queued again for all webhooks. */
  replayed: number;
  /** The number of events for each webhook. */
  webhooks: { id: string; replayed: number; }[];
}

export interface WebhooksRotateSecretResult extends WebhookChoice {
  /** The new secret. Only this response contains it. */
  secret: string;
}

export interface WebhooksUpdateInput extends WebhookChoice {
  /** URL to send events to: `https`, or `http://localhost` for testing; at most 200 characters. */
  url?: string | undefined;
  /** Types of events to deliver; null for all types but those of account events. */
  events?: ('message.received' | 'message.sent' | 'message.edited' | 'message.deleted' | 'message.reactionAdded' | 'message.reactionRemoved' | 'tweet.mention' | 'tweet.reply' | 'tweet.quote' | 'tweet.like' | 'tweet.retweet' | 'user.follow' | 'account.low_credit' | 'connection.expired')[] | null | undefined;
  /** True to pause the deliveries, false to resume them. */
  paused?: boolean | undefined;
}

export type AccountAuditInput = PageInput;
export type AccountPaymentsInput = PageInput;
export type AccountWebhooksInput = PageInput;
export type ArticleCreateResult = ArticlePlace;
export type ArticleDeleteInput = ArticleChoice;
export type ArticleDeleteResult = ArticleChoice;
export type ArticleDetailInput = ArticleChoice;
export type ArticlePublishInput = ArticleChoice;
export type ArticleUnpublishInput = ArticleChoice;
export type ArticleUnpublishResult = ArticleChoice;
export type ConnectionsDeleteInput = ConnectionChoice;
export type ConnectionsDetailInput = ConnectionChoice;
export type ConnectionsListInput = PageInput;
export type DmDeleteResult = ChangedMessage;
export type DmUnreactInput = DmReactInput;
export type DmUnreactResult = DmReactResult;
export type TweetBookmarkInput = TweetChoice;
export type TweetDeleteInput = TweetChoice;
export type TweetDetailInput = TweetChoice;
export type TweetFavoriteInput = TweetChoice;
export type TweetLikersInput = PageInput & TweetChoice;
export type TweetQuotesInput = PageInput & TweetChoice;
export type TweetQuotesPage = TweetPage & TweetResult;
export type TweetRepliesInput = PageInput & TweetChoice;
export type TweetRepliesPage = TweetPage & TweetResult;
export type TweetRetweetInput = TweetChoice;
export type TweetRetweetersInput = PageInput & TweetChoice;
export type TweetRetweetersPage = TweetLikersPage;
export type TweetUnbookmarkInput = TweetChoice;
export type TweetUnlikeInput = TweetChoice;
export type TweetUnretweetInput = TweetChoice;
export type UserAffiliatesInput = PageInput & UserInput;
export type UserArticlesTweetsInput = PageInput & UserInput;
export type UserBlockInput = TargetUserInput;
export type UserBookmarksInput = PageInput;
export type UserFollowInput = TargetUserInput;
export type UserFollowersInput = PageInput & UserInput;
export type UserFollowingInput = PageInput & UserInput;
export type UserHomeTimelineInput = PageInput;
export type UserHomeTimelinePage = UserBookmarksPage;
export type UserInfoInput = UserInput;
export type UserLikesInput = PageInput & UserInput;
export type UserLikesPage = UserArticlesTweetsPage;
export type UserMentionsInput = PageInput;
export type UserMentionsPage = UserBookmarksPage;
export type UserMuteInput = TargetUserInput;
export type UserTweetsAndRepliesInput = PageInput & UserInput;
export type UserTweetsAndRepliesPage = UserArticlesTweetsPage;
export type UserUnblockInput = TargetUserInput;
export type UserUnblockResult = UserBlockResult;
export type UserUnfollowInput = TargetUserInput;
export type UserUnfollowResult = UserFollowResult;
export type UserUnmuteInput = TargetUserInput;
export type UserUnmuteResult = UserMuteResult;
export type UserUserAboutInput = UserInput;
export type WebhooksDeleteInput = WebhookChoice;
export type WebhooksDeliveriesInput = PageInput & WebhookChoice;
export type WebhooksDetailInput = WebhookChoice;
export type WebhooksListInput = PageInput;
export type WebhooksListPage = AccountWebhooksPage;
export type WebhooksResendInput = WebhooksDeliveryInput;
export type WebhooksRotateSecretInput = WebhookChoice;
export type WebhooksTestInput = WebhookChoice;
export type WebhooksValidateInput = WebhookChoice;

export class TweetCalls extends CallGroup {
  /** Search tweets (`GET /tweet/advanced_search`). `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly advancedSearch = this.listOf<TweetAdvancedSearchInput, TweetAdvancedSearchPage, Tweet>({ method: 'GET', path: '/tweet/advanced_search', effect: 'read', actor: 'acts', items: 'tweets' });
  /** One tweet (`GET /tweet/detail`). Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly detail = this.callOf<TweetDetailInput, Tweet>({ method: 'GET', path: '/tweet/detail', effect: 'read', actor: 'acts' });
  /** Up to 100 tweets by their ids, in this order (`GET /tweets`). An id that is given more than once counts once. Costs one call, also if tweets are missing. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly lookup = this.callOf<TweetLookupInput, TweetLookupResult>({ method: 'GET', path: '/tweets', effect: 'read', actor: 'acts' });
  /** Replies to a tweet, newest first (`GET /tweet/replies`). `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly replies = this.listOf<TweetRepliesInput, TweetRepliesPage, Tweet>({ method: 'GET', path: '/tweet/replies', effect: 'read', actor: 'acts', items: 'tweets' });
  /** Tweets that quote a tweet, newest first (`GET /tweet/quotes`). `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly quotes = this.listOf<TweetQuotesInput, TweetQuotesPage, Tweet>({ method: 'GET', path: '/tweet/quotes', effect: 'read', actor: 'acts', items: 'tweets' });
  /** Users who retweeted a tweet, the newest retweet first (`GET /tweet/retweeters`). Protected users are listed for their followers only, so there may be fewer users than `retweetCount`. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly retweeters = this.listOf<TweetRetweetersInput, TweetRetweetersPage, UserCard>({ method: 'GET', path: '/tweet/retweeters', effect: 'read', actor: 'acts', items: 'users' });
  /** Users who liked a tweet, the newest like first (`GET /tweet/likers`). Protected users are listed for their followers only, so there may be fewer users than `likeCount`. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly likers = this.listOf<TweetLikersInput, TweetLikersPage, UserCard>({ method: 'GET', path: '/tweet/likers', effect: 'read', actor: 'acts', items: 'users' });
  /** Post a tweet, a reply or a quote (`POST /tweet/create`). Needs `text`, `media_ids` or `media_urls`. Takes at most one of `quote_tweet_id` and `quote_tweet_url`. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly create = this.callOf<TweetCreateInput, TweetCreateResult>({ method: 'POST', path: '/tweet/create', effect: 'once', actor: 'acts' });
  /** Delete a tweet of the actor (`POST /tweet/delete`). A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly delete = this.callOf<TweetDeleteInput, TweetDeleteResult>({ method: 'POST', path: '/tweet/delete', effect: 'once', actor: 'acts' });
  /** Like a tweet (`POST /tweet/favorite`). A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly favorite = this.callOf<TweetFavoriteInput, TweetFavoriteResult>({ method: 'POST', path: '/tweet/favorite', effect: 'idempotent', actor: 'acts' });
  /** Remove a like (`POST /tweet/unlike`). A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly unlike = this.callOf<TweetUnlikeInput, TweetUnlikeResult>({ method: 'POST', path: '/tweet/unlike', effect: 'idempotent', actor: 'acts' });
  /** Bookmark a tweet (`POST /tweet/bookmark`). A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly bookmark = this.callOf<TweetBookmarkInput, TweetBookmarkResult>({ method: 'POST', path: '/tweet/bookmark', effect: 'idempotent', actor: 'acts' });
  /** Remove a bookmark (`POST /tweet/unbookmark`). A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly unbookmark = this.callOf<TweetUnbookmarkInput, TweetUnbookmarkResult>({ method: 'POST', path: '/tweet/unbookmark', effect: 'idempotent', actor: 'acts' });
  /** Retweet a tweet (`POST /tweet/retweet`). A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly retweet = this.callOf<TweetRetweetInput, TweetRetweetResult>({ method: 'POST', path: '/tweet/retweet', effect: 'idempotent', actor: 'acts' });
  /** Remove a retweet (`POST /tweet/unretweet`). A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly unretweet = this.callOf<TweetUnretweetInput, TweetUnretweetResult>({ method: 'POST', path: '/tweet/unretweet', effect: 'idempotent', actor: 'acts' });
}

export class UserCalls extends CallGroup {
  /** The actor's For You feed (`POST /user/home_timeline`). `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly homeTimeline = this.listOf<Optional<UserHomeTimelineInput>, UserHomeTimelinePage, Tweet>({ method: 'POST', path: '/user/home_timeline', effect: 'read', actor: 'acts', items: 'tweets' });
  /** Tweets that mention the actor, newest first (`GET /user/mentions`). Includes replies that mention the actor. Tweets by the actor are left out. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly mentions = this.listOf<Optional<UserMentionsInput>, UserMentionsPage, Tweet>({ method: 'GET', path: '/user/mentions', effect: 'read', actor: 'acts', items: 'tweets' });
  /** The actor's own profile (`GET /user/me`). Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly me = this.callOf<Optional<NoInput>, UserProfile>({ method: 'GET', path: '/user/me', effect: 'read', actor: 'acts' });
  /** The profile of a user (`GET /user/info`). Needs `userName` or `userId`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly info = this.callOf<UserInfoInput, UserProfile>({ method: 'GET', path: '/user/info', effect: 'read', actor: 'acts' });
  /** The profiles of up to 100 users by their ids or names, in this order (`GET /users`). A user who is given more than once counts once. Costs one call, also if users are missing. Needs exactly one of `ids` and `userNames`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly lookup = this.callOf<UserLookupInput, UserLookupResult>({ method: 'GET', path: '/users', effect: 'read', actor: 'acts' });
  /** Search users by name and description (`GET /user/search`). `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly search = this.listOf<UserSearchInput, UserSearchPage, UserCard>({ method: 'GET', path: '/user/search', effect: 'read', actor: 'acts', items: 'users' });
  /** The history of an account: country, client, verification, former names (`GET /user/user_about`). Needs `userName` or `userId`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly userAbout = this.callOf<UserUserAboutInput, UserAbout>({ method: 'GET', path: '/user/user_about', effect: 'read', actor: 'acts' });
  /** A user's tweets, replies and retweets, newest first (`GET /user/tweets_and_replies`). Needs `userName` or `userId`. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly tweetsAndReplies = this.listOf<UserTweetsAndRepliesInput, UserTweetsAndRepliesPage, Tweet>({ method: 'GET', path: '/user/tweets_and_replies', effect: 'read', actor: 'acts', items: 'tweets' });
  /** A user's published articles, as their wrapper tweets (`GET /user/articles_tweets`). Needs `userName` or `userId`. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly articlesTweets = this.listOf<UserArticlesTweetsInput, UserArticlesTweetsPage, Tweet>({ method: 'GET', path: '/user/articles_tweets', effect: 'read', actor: 'acts', items: 'tweets' });
  /** The tweets that a user liked, the newest like first (`GET /user/likes`). Needs `userName` or `userId`. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly likes = this.listOf<UserLikesInput, UserLikesPage, Tweet>({ method: 'GET', path: '/user/likes', effect: 'read', actor: 'acts', items: 'tweets' });
  /** The followers of a user (`GET /user/followers`). Needs `userName` or `userId`. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly followers = this.listOf<UserFollowersInput, UserFollowersPage, UserCard>({ method: 'GET', path: '/user/followers', effect: 'read', actor: 'acts', items: 'followers' });
  /** The users whom a user follows (`GET /user/following`). Needs `userName` or `userId`. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly following = this.listOf<UserFollowingInput, UserFollowingPage, UserCard>({ method: 'GET', path: '/user/following', effect: 'read', actor: 'acts', items: 'following' });
  /** Followers of a user whom the actor follows too (`POST /user/followers_you_know`). Needs `user_name` or `user_id`. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly followersYouKnow = this.listOf<UserFollowersYouKnowInput, UserFollowersYouKnowPage, UserCard>({ method: 'POST', path: '/user/followers_you_know', effect: 'read', actor: 'acts', items: 'followers_you_know' });
  /** Accounts affiliated with a verified organization (`GET /user/affiliates`). Needs `userName` or `userId`. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly affiliates = this.listOf<UserAffiliatesInput, UserAffiliatesPage, UserCard>({ method: 'GET', path: '/user/affiliates', effect: 'read', actor: 'acts', items: 'affiliates' });
  /** Follow a user, or request to follow a protected user (`POST /user/follow`). Needs `username` or `user_id`. A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly follow = this.callOf<UserFollowInput, UserFollowResult>({ method: 'POST', path: '/user/follow', effect: 'idempotent', actor: 'acts' });
  /** Unfollow a user, or withdraw a follow request (`POST /user/unfollow`). Needs `username` or `user_id`. A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly unfollow = this.callOf<UserUnfollowInput, UserUnfollowResult>({ method: 'POST', path: '/user/unfollow', effect: 'idempotent', actor: 'acts' });
  /** Block a user; both stop following each other (`POST /user/block`). Needs `username` or `user_id`. A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly block = this.callOf<UserBlockInput, UserBlockResult>({ method: 'POST', path: '/user/block', effect: 'idempotent', actor: 'acts' });
  /** Unblock a user (`POST /user/unblock`). Needs `username` or `user_id`. A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly unblock = this.callOf<UserUnblockInput, UserUnblockResult>({ method: 'POST', path: '/user/unblock', effect: 'idempotent', actor: 'acts' });
  /** Mute a user: hide their tweets in the home timeline and in mentions (`POST /user/mute`). Needs `username` or `user_id`. A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly mute = this.callOf<UserMuteInput, UserMuteResult>({ method: 'POST', path: '/user/mute', effect: 'idempotent', actor: 'acts' });
  /** Unmute a user (`POST /user/unmute`). Needs `username` or `user_id`. A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly unmute = this.callOf<UserUnmuteInput, UserUnmuteResult>({ method: 'POST', path: '/user/unmute', effect: 'idempotent', actor: 'acts' });
  /** The actor's own bookmarks, newest first (`GET /user/bookmarks`). `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly bookmarks = this.listOf<Optional<UserBookmarksInput>, UserBookmarksPage, Tweet>({ method: 'GET', path: '/user/bookmarks', effect: 'read', actor: 'acts', items: 'tweets' });
}

export class ListCalls extends CallGroup {
  /** Members of a list (`GET /list/members`). `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly members = this.listOf<ListMembersInput, ListMembersPage, UserCard>({ method: 'GET', path: '/list/members', effect: 'read', actor: 'acts', items: 'members' });
}

export class MediaCalls extends CallGroup {
  /** Upload a picture or a video to attach (`POST /media/upload`). JPEG, PNG and WebP up to 5 MiB, GIF up to 15 MiB, MP4 and QuickTime up to 512 MiB; at most 8,192 pixels a side. The type is detected from the bytes and must match the declared type. An address is fetched through `proxy`, if given, with at most 5 redirects. Media that is not attached within 24 hours expires. Needs exactly one of `media_url` and `media_data`. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly upload = this.callOf<MediaUploadInput, MediaUploadResult>({ method: 'POST', path: '/media/upload', effect: 'once', actor: 'acts', bytes: ['media_data'] });
}

export class ArticleCalls extends CallGroup {
  /** Write an article, as a draft or published (`POST /article/create`). Creates the draft and publishes it, in one call. If publishing fails, the draft is deleted; if that fails too, or the platform cannot delete drafts, the error names the article that is left. Pictures are fetched, through `proxy` if given, and checked before the draft is created. Takes at most one of `cover_media_id`, `cover_image_url` and `cover_image_base64`. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly create = this.callOf<ArticleCreateInput, ArticleCreateResult>({ method: 'POST', path: '/article/create', effect: 'once', actor: 'acts', bytes: ['cover_image_base64'] });
  /** One article, with its content as Markdown (`GET /article/detail`). An article of the actor, or a published article of another user. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly detail = this.callOf<ArticleDetailInput, Article>({ method: 'GET', path: '/article/detail', effect: 'read', actor: 'acts' });
  /** The actor's own articles, newest first (`GET /article/list`). The articles have no `content` here. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly list = this.listOf<Optional<ArticleListInput>, ArticleListPage, ArticleSummary>({ method: 'GET', path: '/article/list', effect: 'read', actor: 'acts', items: 'articles' });
  /** Change the title, the content or the cover of an article (`POST /article/update`). Changes only the given fields. A published article is unpublished, edited and published again, which gives it a new wrapper tweet. If a step fails, the article is restored; if that fails too, the error describes its state. Takes at most one of `cover_media_id`, `cover_image_url` and `cover_image_base64`. Needs `title`, `content`, `cover_media_id`, `cover_image_url` or `cover_image_base64`. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly update = this.callOf<ArticleUpdateInput, ArticleUpdateResult>({ method: 'POST', path: '/article/update', effect: 'once', actor: 'acts', bytes: ['cover_image_base64'] });
  /** Publish a draft (`POST /article/publish`). Needs a premium account. An article that is already published stays as it is. A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly publish = this.callOf<ArticlePublishInput, ArticlePublishResult>({ method: 'POST', path: '/article/publish', effect: 'idempotent', actor: 'acts' });
  /** Make a published article a draft again (`POST /article/unpublish`). Its wrapper tweet is removed. A draft stays as it is. A repeated request changes nothing and returns the same. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly unpublish = this.callOf<ArticleUnpublishInput, ArticleUnpublishResult>({ method: 'POST', path: '/article/unpublish', effect: 'idempotent', actor: 'acts' });
  /** Delete an article of the actor (`POST /article/delete`). Deletes a draft, or a published article with its wrapper tweet. A second request returns 404. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly delete = this.callOf<ArticleDeleteInput, ArticleDeleteResult>({ method: 'POST', path: '/article/delete', effect: 'once', actor: 'acts' });
}

export class DmCalls extends CallGroup {
  /** The actor's conversations, newest first (`GET /dm/list`). Sends `encryptionCode`. With `encryption_code` each has its decrypted `last_message`. The first page fixes the order: later messages do not move conversations on the next pages. Message requests are left out; `has_message_requests` is true if there are any. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly list = this.listOf<Optional<DmListInput>, DmListPage, Conversation>({ method: 'GET', path: '/dm/list', effect: 'read', actor: 'acts', code: true, items: 'conversations' });
  /** The messages of a conversation, newest first (`GET /dm/messages`). Sends `encryptionCode`. Edits and reactions are applied to each message. A message that cannot be decrypted is included; `undecryptable` has the reason. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly messages = this.listOf<DmMessagesInput, DmMessagesPage, DirectMessage>({ method: 'GET', path: '/dm/messages', effect: 'read', actor: 'acts', code: true, items: 'messages' });
  /** Send a message (`POST /dm/send`). Sends `encryptionCode`. With `user_id`, a conversation is started if there is none yet. Needs exactly one of `conversation_id` and `user_id`. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly send = this.callOf<DmSendInput, DmSendResult>({ method: 'POST', path: '/dm/send', effect: 'once', actor: 'acts', code: true });
  /** Send an attachment, end-to-end encrypted (`POST /dm/send_media`). Sends `encryptionCode`. The file is encrypted before it is sent to the platform. Its bytes must be of the `type`: 1 image, 2 GIF, 3 video, 4 audio, 5 file (any), 6 SVG. The conversation must exist. Needs exactly one of `image_url` and `image_base64`. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly sendMedia = this.callOf<DmSendMediaInput, DmSendMediaResult>({ method: 'POST', path: '/dm/send_media', effect: 'once', actor: 'acts', code: true, bytes: ['image_base64'] });
  /** Change the text of one of the actor's own messages (`POST /dm/edit`). Sends `encryptionCode`. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly edit = this.callOf<DmEditInput, DmEditResult>({ method: 'POST', path: '/dm/edit', effect: 'once', actor: 'acts', code: true });
  /** Delete a message for both users or for the actor only (`POST /dm/delete`). Sends `encryptionCode`. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly delete = this.callOf<DmDeleteInput, DmDeleteResult>({ method: 'POST', path: '/dm/delete', effect: 'once', actor: 'acts', code: true });
  /** Add a reaction to a message (`POST /dm/react`). Sends `encryptionCode`. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly react = this.callOf<DmReactInput, DmReactResult>({ method: 'POST', path: '/dm/react', effect: 'once', actor: 'acts', code: true });
  /** Take a reaction back (`POST /dm/unreact`). Sends `encryptionCode`. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly unreact = this.callOf<DmUnreactInput, DmUnreactResult>({ method: 'POST', path: '/dm/unreact', effect: 'once', actor: 'acts', code: true });
  /** Create the chat keys of an account (`POST /dm/enroll`). Sends `encryptionCode`. The public keys are published on the platform, and the private ones are stored in its key backup. `encryption_code` is a new code of your choice, which recovers them later. A code that is easy to guess is refused, and so is an account that already has keys, unless `replace_keys` is true. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly enroll = this.callOf<Optional<DmEnrollInput>, DmEnrollResult>({ method: 'POST', path: '/dm/enroll', effect: 'once', actor: 'acts', code: true });
}

export class WebhooksCalls extends CallGroup {
  /** Deliver the actor's activity to an address (`POST /webhooks`). Sends `encryptionCode`. The CRC handshake with the receiver runs at once. If it fails, the webhook is registered but not `valid`, and `last_error` has the reason: repair the receiver, then validate the webhook. A second webhook with the same URL and `auth_token` is refused with 409. Only this response contains the secret. With `encryption_code` the webhook gets message events too; a wrong code is refused at once. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.0025 dollars if it succeeds, nothing if it fails. */
  readonly create = this.callOf<WebhooksCreateInput, CreatedWebhook>({ method: 'POST', path: '/webhooks', effect: 'once', actor: 'acts', code: true });
  /** The webhooks of the account, newest first (`GET /webhooks`). `GET /account/webhooks` returns the same list for free. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Costs 0.0025 dollars if it succeeds, nothing if it fails. */
  readonly list = this.listOf<Optional<WebhooksListInput>, WebhooksListPage, Webhook>({ method: 'GET', path: '/webhooks', effect: 'read', items: 'webhooks' });
  /** One webhook (`GET /webhooks/{id}`). Free. */
  readonly detail = this.callOf<WebhooksDetailInput, Webhook>({ method: 'GET', path: '/webhooks/{id}', effect: 'read' });
  /** Run the CRC handshake again (`PUT /webhooks/{id}`). Sends `encryptionCode`. If `auth_token` with `proxy`, or `encryption_code`, is given, it replaces the stored one, unless the platform refuses it. A repeated request does no harm. Costs 0.0025 dollars if it succeeds, nothing if it fails. */
  readonly validate = this.callOf<WebhooksValidateInput, Webhook>({ method: 'PUT', path: '/webhooks/{id}', effect: 'idempotent', actor: 'stored', code: true });
  /** Change the URL or the event types of a webhook, pause or resume it (`PATCH /webhooks/{id}`). The CRC handshake with a new URL runs at once. The webhook is not valid until the handshake has passed. `events: null` means all types. While a webhook is paused nothing is delivered. Its events are kept for 24 hours and delivered after `paused: false`, oldest first. Needs `url`, `events` or `paused`. A repeated request does no harm. Costs 0.0025 dollars if it succeeds, nothing if it fails. */
  readonly update = this.callOf<WebhooksUpdateInput, Webhook>({ method: 'PATCH', path: '/webhooks/{id}', effect: 'idempotent' });
  /** Send a signed `webhook.test` event now (`POST /webhooks/{id}/test`). A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.0025 dollars if it succeeds, nothing if it fails. */
  readonly test = this.callOf<WebhooksTestInput, WebhookTest>({ method: 'POST', path: '/webhooks/{id}/test', effect: 'once' });
  /** Replace the secret of a webhook (`POST /webhooks/{id}/rotate-secret`). For 24 hours `webhook-signature` has a signature of each secret. `x-platform-webhooks-signature` uses the new secret as soon as a CRC handshake with it has passed. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.0025 dollars if it succeeds, nothing if it fails. */
  readonly rotateSecret = this.callOf<WebhooksRotateSecretInput, WebhooksRotateSecretResult>({ method: 'POST', path: '/webhooks/{id}/rotate-secret', effect: 'once' });
  /** The deliveries of the last 24 hours, newest first (`GET /webhooks/{id}/deliveries`). `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Free. */
  readonly deliveries = this.listOf<WebhooksDeliveriesInput, WebhooksDeliveriesPage, Delivery>({ method: 'GET', path: '/webhooks/{id}/deliveries', effect: 'read', items: 'deliveries' });
  /** One delivery of the last 24 hours, with its attempts (`GET /webhooks/{id}/deliveries/{event_id}`). Each attempt has the headers of its request and the first 1 KiB of the response body. Free. */
  readonly delivery = this.callOf<WebhooksDeliveryInput, DeliveryDetail>({ method: 'GET', path: '/webhooks/{id}/deliveries/{event_id}', effect: 'read' });
  /** Deliver one event of the last 24 hours again (`POST /webhooks/{id}/deliveries/{event_id}/resend`). Delivers the event with the same id and bytes, even if it was delivered or given up before. The CRC handshake runs first, as for a replay. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.0025 dollars if it succeeds, nothing if it fails. */
  readonly resend = this.callOf<WebhooksResendInput, Delivery>({ method: 'POST', path: '/webhooks/{id}/deliveries/{event_id}/resend', effect: 'once' });
  /** Deliver the events of the last 24 hours again (`POST /webhooks/replay`). Delivers them to one webhook, or to all valid webhooks that are not paused, with the same ids and bytes. New events do not wait for a replay. With `only: failed` it delivers the events that were given up or wait for another attempt. A repeated request is performed again, unless it has the same `Idempotency-Key`. Costs 0.005 dollars if it succeeds, nothing if it fails. */
  readonly replay = this.callOf<Optional<WebhooksReplayInput>, WebhooksReplayResult>({ method: 'POST', path: '/webhooks/replay', effect: 'once' });
  /** Delete a webhook (`DELETE /webhooks/{id}`). A repeated request returns 404. Costs 0.0025 dollars if it succeeds, nothing if it fails. */
  readonly delete = this.callOf<WebhooksDeleteInput, WebhooksDeleteResult>({ method: 'DELETE', path: '/webhooks/{id}', effect: 'once' });
}

export class ConnectionsCalls extends CallGroup {
  /** Begin the sign-in of a platform user (`POST /connections`). Open `authorize_url` in the browser of the person who signs in. It works once, within 10 minutes, in one browser. The connection is `pending` until then. Afterwards its `id` stands for `auth_token` in all calls of the account. An account may have 1,000 connections, 100 of them pending. A repeated request is performed again, unless it has the same `Idempotency-Key`. Free. */
  readonly create = this.callOf<Optional<ConnectionsCreateInput>, StartedConnection>({ method: 'POST', path: '/connections', effect: 'once' });
  /** The connections of the account, oldest first (`GET /connections`). `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Free. */
  readonly list = this.listOf<Optional<ConnectionsListInput>, ConnectionsListPage, Connection>({ method: 'GET', path: '/connections', effect: 'read', items: 'connections' });
  /** One connection (`GET /connections/{id}`). Free. */
  readonly detail = this.callOf<ConnectionsDetailInput, Connection>({ method: 'GET', path: '/connections/{id}', effect: 'read' });
  /** Sign in again, with the same id (`POST /connections/{id}/reconnect`). Open `authorize_url` in the browser of the person who signs in. It works once, within 10 minutes, in one browser. The old login works until then, and stays if the sign-in fails. Another user than before is refused. A repeated request is performed again, unless it has the same `Idempotency-Key`. Free. */
  readonly reconnect = this.callOf<ConnectionsReconnectInput, StartedConnection>({ method: 'POST', path: '/connections/{id}/reconnect', effect: 'once' });
  /** Delete a connection (`DELETE /connections/{id}`). Calls, webhooks and streams that use it stop at once. The login is revoked at the platform, which is retried for 24 hours. An app password stays valid until its user revokes it. A repeated request returns 404. Free. */
  readonly delete = this.callOf<ConnectionsDeleteInput, ConnectionsDeleteResult>({ method: 'DELETE', path: '/connections/{id}', effect: 'once' });
}

export class AccountKeysCalls extends CallGroup {
  /** The API keys of the account (`GET /account/keys`). Free. */
  readonly get = this.callOf<Optional<NoInput>, AccountKeysResult>({ method: 'GET', path: '/account/keys', effect: 'read' });
  /** Create an API key (`POST /account/keys`). Only this response contains the key, because the service stores only its hash. The account pays for all of its keys, and may have 100 that are not revoked. To replace a key, create a new one and then revoke the old one. A key with a restriction cannot manage keys or the account. A repeated request is performed again, unless it has the same `Idempotency-Key`. Free. */
  readonly create = this.callOf<AccountKeysCreateInput, CreatedApiKey>({ method: 'POST', path: '/account/keys', effect: 'once' });
  /** Revoke an API key (`DELETE /account/keys/{id}`). All processes of the service refuse a revoked key within 5 seconds. A key that is already revoked is returned as it is. The latest 100 revoked keys of an account stay listed. A repeated request returns 404. Free. */
  readonly revoke = this.callOf<AccountKeysRevokeInput, ApiKey>({ method: 'DELETE', path: '/account/keys/{id}', effect: 'once' });
}

export class AccountCalls extends CallGroup {
  readonly keys = this.groupOf(AccountKeysCalls);
  /** The API account and its keys (`GET /account`). Free. */
  readonly get = this.callOf<Optional<NoInput>, Account>({ method: 'GET', path: '/account', effect: 'read' });
  /** Set the threshold for the event of low credit (`PATCH /account`). A charge that takes the credit below the threshold sends one `account.low_credit` event to the webhooks of the account whose `events` list this type. The next event is sent after a payment has raised the credit to the threshold or above it. Needs `low_credit_threshold`. A repeated request does no harm. Free. */
  readonly update = this.callOf<AccountUpdateInput, Account>({ method: 'PATCH', path: '/account', effect: 'idempotent' });
  /** The available credit, and the credit reserved by running calls (`GET /account/balance`). Free. */
  readonly balance = this.callOf<Optional<NoInput>, Balance>({ method: 'GET', path: '/account/balance', effect: 'read' });
  /** Successful calls and their cost, by hour or day (`GET /account/usage`). Free. */
  readonly usage = this.callOf<Optional<AccountUsageInput>, Usage>({ method: 'GET', path: '/account/usage', effect: 'read' });
  /** The payments into the account, newest first (`GET /account/payments`). `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Free. */
  readonly payments = this.listOf<Optional<AccountPaymentsInput>, AccountPaymentsPage, Payment>({ method: 'GET', path: '/account/payments', effect: 'read', items: 'payments' });
  /** The changes of keys, webhooks, credit and settings, newest first (`GET /account/audit`). Entries are kept for 400 days. An account keeps its last 10,000 entries. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Free. */
  readonly audit = this.listOf<Optional<AccountAuditInput>, AccountAuditPage, AuditEntry>({ method: 'GET', path: '/account/audit', effect: 'read', items: 'audit' });
  /** The webhooks of the account, newest first (`GET /account/webhooks`). A restricted key needs the group `webhooks`. `next_cursor` of one page is the `cursor` of the next page. It is null on the last page. Free. */
  readonly webhooks = this.listOf<Optional<AccountWebhooksInput>, AccountWebhooksPage, Webhook>({ method: 'GET', path: '/account/webhooks', effect: 'read', items: 'webhooks' });
}

/** The calls of Postern, a method for each. */
export class Endpoints extends CallGroup {
  readonly tweet = this.groupOf(TweetCalls);
  readonly user = this.groupOf(UserCalls);
  readonly list = this.groupOf(ListCalls);
  readonly media = this.groupOf(MediaCalls);
  readonly article = this.groupOf(ArticleCalls);
  readonly dm = this.groupOf(DmCalls);
  readonly webhooks = this.groupOf(WebhooksCalls);
  readonly connections = this.groupOf(ConnectionsCalls);
  readonly account = this.groupOf(AccountCalls);
  /** The actions, event types and limits of the connected platform (`GET /capabilities`). Free. */
  readonly capabilities = this.callOf<Optional<NoInput>, Capabilities>({ method: 'GET', path: '/capabilities', effect: 'read' });
  /** A token that opens the live stream in a browser (`POST /events/token`). Sends `encryptionCode`. A browser's `EventSource` cannot send headers, so it opens `GET /events?token=…` with this token instead of the API key and the actor's credentials. The token opens only this stream, with these types, for 15 minutes and any number of times. It has the restrictions of the API key, and ends with it. It is a secret: whoever has it can read the stream. Opening the stream is charged as usual. Free. */
  readonly eventsToken = this.callOf<Optional<EventsTokenInput>, EventsTokenResult>({ method: 'POST', path: '/events/token', effect: 'read', actor: 'acts', code: true });
  /** The actor's activity as it happens (`GET /events`). Sends `encryptionCode`. Server-Sent Events with the events that a webhook of the actor would get. Each has its id, so a client that reconnects with `Last-Event-ID` within 24 hours misses none; if events may be missing, an event `gap` reports it. Message events need `encryption_code`. Costs 0.001 dollars if it succeeds, nothing if it fails. */
  readonly events = this.streamOf<Optional<EventsInput>>({ method: 'GET', path: '/events', effect: 'read', actor: 'acts', code: true });
}
