import type { ForwardProxy } from '../outbound/proxy.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { PlatformEvent } from '../shared/model/event.ts';
import type { MissingReason } from '../shared/model/lookup.ts';
import type { Page } from '../shared/model/page.ts';
import type { TakenMedia } from '../shared/model/taken-media.ts';
import type { Tweet } from '../shared/model/tweet.ts';
import type { UserCard, UserProfile } from '../shared/model/user.ts';
import type { UserAbout } from '../shared/model/user-about.ts';
import type { CancelSignal } from '../shared/runtime/cancellation.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import type { TaskRunner } from '../shared/threads/task.ts';
import type { PlatformArticles } from './articles-port.ts';
import type { PlatformCapabilities } from './capabilities.ts';
import type { PlatformKeyBackup } from './key-backup-port.ts';
import type { PlatformMessages } from './messages-port.ts';

export type {
  ArticleContent,
  ArticleEdits,
  ArticlePlace,
  NewArticle,
  PlatformArticle,
  PlatformArticles,
} from './articles-port.ts';
export type { ForwardProxy };

/**
 * A social platform (docs/decisions.md, The platform port). Each platform has an adapter that implements
 * this interface. The adapter maps ids to numeric strings, gives every call a time limit and does not retry writes.
 *
 * Adapters throw `PosternError`s that are meant for the caller. `auth_token_rejected`: the platform does not accept the
 * token. `forbidden`: it refuses the actor for another reason. `platform_unavailable`: it is down or its response is
 * not valid. The other codes are `not_found`, `conflict`, `bad_input`, `rate_limited` and `platform_timeout`.
 *
 * If a call has a proxy, all its traffic goes through the proxy. Failures of the proxy are `platform_unavailable` or
 * `platform_timeout`, with the name of the proxy in the message.
 */
export interface Platform {
  readonly capabilities: PlatformCapabilities;
  /** True if the platform performs a write only once for each idempotency token. */
  readonly honoursTokens: boolean;
  /** True if callers choose the servers that respond, such as a personal data server, so that a response may be hostile. */
  readonly callersChooseServers: boolean;
  /**
   * The maximum number of `activity` calls of this process that may wait for events at the same time. 0 if the platform
   * does not support waiting.
   */
  readonly maxWaitingCalls: number;
  /** True if waiting calls cost the platform nothing, so that those of actors without recent events may wait too. */
  readonly quietActorsWait: boolean;
  /** The shortest pause between two `activity` calls of one poller that do not wait, in milliseconds. */
  readonly minPollMs: number;
  /** The form of tweet URLs for error messages, such as `https://x.com/<user>/status/<id>`. */
  readonly tweetUrlForm: string;
  /** Returns true if `url` has the form of a tweet URL of this platform. Sends no request. */
  isTweetUrl(url: string): boolean;
  /** Returns a session that acts as one platform user for one call. */
  as(call: PlatformCall): PlatformSession;
  /** Returns the part of each app-wide rate limit that is left, from 0 to 1. */
  appLimitsLeft?(): Readonly<Record<string, number>>;
  /** The sign-in of users (OAuth 2.0). Not set if the platform has none, or if the operator has not set up an app there. */
  readonly signIn?: PlatformSignIn | undefined;
  /** Checks that the platform responds. Throws if it does not. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Encrypted records that an adapter shares with all processes of the store (`PlatformStateStore`). */
export interface PlatformState {
  read(key: string): Promise<string | null>;
  write(key: string, sealed: string, previous: string | null, ttlMs: number): Promise<string>;
}

/** Identifiers of the platform by their hash, which an adapter shares with all processes of the store (`IdentifierStore`). */
export interface PlatformIdentifiers {
  find(hash: string): Promise<string | null>;
  save(identifiers: readonly { hash: string; identifier: string }[], ttlMs: number, maxCount: number): Promise<void>;
}

/** Parts of tweets and users. An object that was read without a part has a default in its place. */
export interface PlatformNeeds {
  readonly author: boolean;
  /** `quoted_tweet`, `quoted_tweet_id`, `isReply`, `inReplyToId` and `inReplyToUserId`. */
  readonly quoted: boolean;
  /** `name` of mentioned users. */
  readonly mentionNames: boolean;
  readonly media: boolean;
  /** `pinnedTweetIds`. */
  readonly pinned: boolean;
}

/** Reports what the platform bills the operator for a response, in micro-dollars. */
export type OnCost = (priceClass: string, micros: number) => void;

export interface PlatformCost {
  /** `objects` of the platform's price class `priceClass` cost `microDollars` in all. */
  add(priceClass: string, objects: number, microDollars: number): void;
}

/** The tokens of a platform user (RFC 6749, section 5.1). */
export interface PlatformTokens {
  access: Secret;
  /** `null` if the login cannot be refreshed. */
  refresh: Secret | null;
  expiresInSeconds: number;
  scopes: readonly string[];
}

/**
 * The authorization code flow with PKCE of a platform (RFC 6749, section 4.1; RFC 7636). Its requests go from this service, never through
 * the proxy of a caller. `auth_token_rejected`: the platform refuses the code or the token for good. After any other error of `refresh`
 * the refresh token may have been used.
 */
export interface PlatformSignIn {
  /** All scopes that a sign-in may ask for, in the order of the consent page. */
  readonly scopes: readonly string[];
  /** The scopes that every sign-in asks for, because without them the platform does not say who signed in. */
  readonly leastScopes: readonly string[];
  /** The scopes that a sign-in asks for unless the caller names others: all but those of direct messages. */
  readonly defaultScopes: readonly string[];
  /** The host that the person signs in to, for the page of the gateway. */
  readonly host: string;
  authorizeUrl(request: { redirectUri: string; state: string; challenge: string; scopes: readonly string[] }): string;
  exchange(answer: { code: string; verifier: Secret; redirectUri: string }): Promise<PlatformTokens>;
  /** Takes at most `refreshMs`, so that no other process begins meanwhile. */
  refresh(refresh: Secret): Promise<PlatformTokens>;
  revoke(token: Secret): Promise<void>;
}

/** The longest time that a refresh of a login takes, in milliseconds. */
export const refreshMs = 10_000;

/** Resolves the id of a connection to the platform's credential of its user, just before a request. */
export interface CredentialResolver {
  /**
   * Returns the credential of the call's actor: an `auth_token` that is not the id of a connection unchanged. Refreshes the login if it is
   * about to end, or if the platform has refused its credential `refused`. Throws `connection_not_found`, `connection_pending`,
   * `connection_expired` or `connection_revoked`.
   */
  credentialOf(call: Pick<PlatformCall, 'account' | 'authToken' | 'signal'>, refused?: Secret | null): Promise<Secret>;
}

export interface PlatformCall {
  /** The API account that is charged for the call, or that owns the webhook. */
  account: string;
  /**
   * The platform's credential of the user: on X an OAuth 2.0 user access token, for the AT Protocol a handle and an app
   * password. Or the id of a connection, which adapters turn into a credential by `CredentialResolver`.
   */
  authToken: Secret;
  /** The caller's own proxy for this call. `null` if there is none. */
  proxy: ForwardProxy | null;
  /** Aborted when the client disconnects. `null` for a write, which continues. */
  signal: CancelSignal | null;
  /**
   * Returns the idempotency token for a write, and records that it is sent: if its answer is lost, its outcome is unknown. Adapters call
   * it once before each write, also if the platform takes no tokens.
   */
  tokenFor: (operation: string) => string;
  /**
   * Called with the size of each response body of this call, in bytes. If it throws, the response is not read. `isUntrusted` is true if it
   * came from a server that callers choose, or through a caller's proxy.
   */
  onResponse?: ((bytes: number, isUntrusted: boolean) => void) | undefined;
  /** The parts of objects that the caller will see. All parts if undefined. A platform may charge its operator for each part. */
  needs?: PlatformNeeds | undefined;
  /** Counts the objects that the platform charges its operator for. */
  cost?: PlatformCost | undefined;
  /** Worker threads that parse large articles. Needed only by sessions that read or write articles. */
  tasks?: TaskRunner;
}

export interface TweetSearch {
  q: string;
  product: 'Latest' | 'Top';
  count: number;
  cursor: string | null;
}

export interface NewTweet {
  text: string;
  replyToTweetId: string | null;
  quoteTweetId: string | null;
  /** The URL of the tweet to quote, instead of `quoteTweetId`. The caller has checked it with `isTweetUrl`. */
  quoteTweetUrl?: string | null;
  /** The ids of media to attach. They must belong to the actor, otherwise the call throws `not_found`. */
  mediaIds?: readonly string[];
  /** Descriptions of the media, in the order of `mediaIds`. A platform without such descriptions ignores them. */
  mediaAltTexts?: readonly string[];
  /** The languages of the text (BCP 47). Empty if they are not known. */
  langs?: readonly string[];
}

export interface CreatedTweet {
  id: string;
  text: string;
  createdAt: string;
  pendingModeration: boolean;
  communityId: string | null;
}

export type UserReference = { userId: string } | { userName: string };

export interface PageRequest {
  count: number;
  cursor: string | null;
}

/** A request for a page of the actor's activity feed. */
export interface ActivityRequest extends PageRequest {
  /** The time to wait for events if there are none after the cursor, in milliseconds. Default: 0. */
  waitMs?: number;
}

/** The user to whom a list belongs. */
export interface UserName {
  id: string;
  userName: string;
}

/** A page of a list that belongs to a user. */
export interface PageOf<Item> extends Page<Item> {
  user: UserName;
}

/** A page of a list whose content depends on the actor. */
export interface ViewerPage<Item> extends Page<Item> {
  viewerId: string;
}

/** A page of the actor's activity feed, oldest event first. */
export interface ActivityPage {
  events: PlatformEvent[];
  /** The cursor of the next page. Present even if the page is empty. */
  cursor: string;
  /** True if some events after the given cursor have expired. */
  gap: boolean;
}

export interface NamedUser extends UserName {
  name: string;
}

export interface FollowState extends NamedUser {
  following: boolean;
  /** True while a protected user has not accepted the follow request. */
  followRequestSent: boolean;
  protected: boolean;
}

/**
 * The operations of a platform on behalf of one actor. All writes except `createTweet` and `deleteTweet` are
 * idempotent.
 */
export interface PlatformSession {
  searchTweets(search: TweetSearch): Promise<Page<Tweet>>;
  createTweet(tweet: NewTweet): Promise<CreatedTweet>;
  /** Deletes one of the actor's own tweets. Throws `not_found` if it was deleted before. */
  deleteTweet(tweetId: string): Promise<void>;
  likeTweet(tweetId: string): Promise<void>;
  unlikeTweet(tweetId: string): Promise<void>;
  bookmarkTweet(tweetId: string): Promise<void>;
  unbookmarkTweet(tweetId: string): Promise<void>;
  retweet(tweetId: string): Promise<void>;
  unretweet(tweetId: string): Promise<void>;
  tweet(tweetId: string): Promise<Tweet>;
  /** Reads tweets in bulk. The result has a tweet, or why it is missing, for each of the ids, in their order. */
  tweets(ids: readonly string[]): Promise<(Tweet | MissingReason)[]>;
  /** Returns the direct replies to a tweet, newest first. */
  replies(tweetId: string, page: PageRequest): Promise<Page<Tweet>>;
  /** Returns the tweets that quote a tweet, newest first. */
  quotes(tweetId: string, page: PageRequest): Promise<Page<Tweet>>;
  /** Returns the users who retweeted a tweet, newest retweet first. */
  retweeters(tweetId: string, page: PageRequest): Promise<Page<UserCard>>;
  /** Returns the users who liked a tweet, newest like first. */
  likers(tweetId: string, page: PageRequest): Promise<Page<UserCard>>;
  /** Returns the actor's ranked home feed. */
  homeTimeline(page: PageRequest): Promise<ViewerPage<Tweet>>;
  bookmarks(page: PageRequest): Promise<ViewerPage<Tweet>>;
  /** Returns tweets of other users that mention the actor, newest first. */
  mentions(page: PageRequest): Promise<ViewerPage<Tweet>>;
  /** Returns the profile of the actor. */
  ownProfile(): Promise<UserProfile>;
  userProfile(user: UserReference): Promise<UserProfile>;
  /** Reads users in bulk, as `tweets` does. All of them are named either by id or by name. */
  users(users: readonly UserReference[]): Promise<(UserProfile | MissingReason)[]>;
  /** Returns the users who match the words, best match first. */
  searchUsers(search: PageRequest & { q: string }): Promise<Page<UserCard>>;
  userAbout(user: UserReference): Promise<UserAbout>;
  /** Returns tweets, replies and retweets of a user, newest first. */
  userTweets(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>>;
  /** Returns the tweets that a user liked, newest like first. */
  likedTweets(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>>;
  /** Returns the tweets that publish a user's articles. */
  userArticles(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>>;
  followers(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>>;
  following(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>>;
  /** Returns the followers of a user whom the actor follows. */
  knownFollowers(user: UserReference, page: PageRequest): Promise<PageOf<UserCard> & ViewerPage<UserCard>>;
  /** Returns the accounts affiliated with a verified organization. */
  affiliates(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>>;
  follow(user: UserReference): Promise<FollowState>;
  unfollow(user: UserReference): Promise<FollowState>;
  block(user: UserReference): Promise<NamedUser>;
  unblock(user: UserReference): Promise<NamedUser>;
  mute(user: UserReference): Promise<NamedUser>;
  unmute(user: UserReference): Promise<NamedUser>;
  listMembers(listId: string, page: PageRequest): Promise<Page<UserCard>>;
  /**
   * Returns the next events of the actor's activity feed. Without a cursor, the page has no events, and its cursor is
   * the end of the feed. A page with fewer events than `count` is the last one at present. Throws `bad_input` if the
   * cursor is not valid any more. A call that waits may end early without events. Texts and names of events are not
   * longer than the platform allows.
   */
  activity(page: ActivityRequest): Promise<ActivityPage>;
  readonly media: PlatformMedia;
  readonly keyBackup: PlatformKeyBackup;
  readonly messages: PlatformMessages;
  readonly articles: PlatformArticles;
}

/** Thrown for an operation that the platform does not support, or does not support with these values. */
export class NotSupportedError extends PosternError {
  /** The feature that is not supported, or the reason why it is not. */
  readonly detail: string;

  constructor(detail: string) {
    super('not_supported', `Not supported by this platform: ${detail}`);
    this.detail = detail;
  }
}

/** The media operations of a platform. */
export interface PlatformMedia {
  /**
   * Uploads media and returns its id. Only the actor can attach it. Throws `bad_input` if the platform does not accept
   * the media.
   */
  upload(media: TakenMedia): Promise<string>;
  /** Adds a description. Missing if descriptions are a part of `createTweet` or ignored. */
  describe?(mediaId: string, text: string): Promise<void>;
}
