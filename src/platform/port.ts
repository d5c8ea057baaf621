import type { ForwardProxy } from '../outbound/proxy.ts';
import type { PlatformEvent } from '../shared/model/event.ts';
import type { Page } from '../shared/model/page.ts';
import type { TakenMedia } from '../shared/model/taken-media.ts';
import type { Tweet } from '../shared/model/tweet.ts';
import type { UserAbout } from '../shared/model/user-about.ts';
import type { UserCard } from '../shared/model/user-card.ts';
import type { UserProfile } from '../shared/model/user-profile.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import type { TaskRunner } from '../shared/threads/task.ts';
import type { PlatformArticles } from './articles-port.ts';
import type { PlatformMessages } from './messages-port.ts';
import type { PlatformRealms } from './realms-port.ts';

export type { PlatformArticle, PlatformArticles } from './articles-port.ts';
export type { ForwardProxy };

/**
 * A social platform, in the terms of the API (docs/architecture-decisions.md, The platform port). An adapter maps ids to numeric
 * strings, gives every call a deadline, retries no write, and throws `PosternError`s written for the caller: reason
 * `auth_token_rejected` if the platform does not accept the token, `forbidden` if it refuses the actor for another reason,
 * `not_found`, `conflict`, `bad_input`, `rate_limited`, `platform_unavailable` (down, or a response that cannot be understood),
 * `platform_timeout`. All traffic of a call with a proxy goes through the proxy, never around it. Its failures are `platform_unavailable`
 * or `platform_timeout` and name it.
 */
export interface Platform {
  /** The name of the platform in log lines and error messages, such as `sandbox`. */
  readonly kind: string;
  /** True if the platform performs a write at most once for each token. */
  readonly honoursTokens: boolean;
  /** Returns whether URLs of tweets may have this host (lower case, with the port if there is one). */
  isTweetHost(host: string): boolean;
  /** Returns a session of one actor for one call. */
  as(call: PlatformCall): PlatformSession;
  /** Throws if the platform does not respond. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface PlatformCall {
  /** The API account that pays for the call, or whose webhooks it serves. */
  account: string;
  /** The actor's `auth_token` cookie. */
  authToken: Secret;
  /** The caller's own proxy for this call. */
  proxy: ForwardProxy | null;
  /** Aborted when the caller has hung up. `null` for a write, which continues. */
  signal: AbortSignal | null;
  /** Returns the idempotency token of a write. Called once before each write. */
  tokenFor: (operation: string) => string;
  /** Threads that parse large articles. Only sessions that read or write articles need them. */
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
  /** Uploads of the actor. Any other id is `not_found`. */
  mediaIds?: readonly string[];
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

/** The user that a list belongs to. */
export interface UserName {
  id: string;
  userName: string;
}

/** A page of a list that belongs to one user. */
export interface PageOf<Item> extends Page<Item> {
  user: UserName;
}

/** A page of a list that depends on the actor. */
export interface ViewerPage<Item> extends Page<Item> {
  viewerId: string;
}

/** A page of the actor's activity feed, oldest event first. */
export interface ActivityPage {
  events: PlatformEvent[];
  /** The cursor of the next page, present even on an empty page. */
  cursor: string;
  /** True if events after the given cursor are no longer available. */
  gap: boolean;
}

export interface FollowState extends UserName {
  name: string;
  following: boolean;
  /** True while a protected user has not accepted the request. */
  followRequestSent: boolean;
  protected: boolean;
}

/** The operations of a platform for one actor. Writes are idempotent, except `createTweet` and `deleteTweet`. */
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
  /** Returns the direct replies to a tweet, newest first. */
  replies(tweetId: string, page: PageRequest): Promise<Page<Tweet>>;
  /** Returns the quotes of a tweet, newest first. */
  quotes(tweetId: string, page: PageRequest): Promise<Page<Tweet>>;
  /** Returns the users who retweeted the tweet, ordered by the time of the retweet, newest first. */
  retweeters(tweetId: string, page: PageRequest): Promise<Page<UserCard>>;
  /** Returns the actor's ranked home feed. */
  homeTimeline(page: PageRequest): Promise<ViewerPage<Tweet>>;
  bookmarks(page: PageRequest): Promise<ViewerPage<Tweet>>;
  /** Returns tweets of others that mention the actor, newest first. */
  mentions(page: PageRequest): Promise<ViewerPage<Tweet>>;
  /** Returns the profile of the actor. */
  ownProfile(): Promise<UserProfile>;
  userProfile(user: UserReference): Promise<UserProfile>;
  /** Returns the users who match the words, the best match first. */
  searchUsers(search: PageRequest & { q: string }): Promise<Page<UserCard>>;
  userAbout(user: UserReference): Promise<UserAbout>;
  /** Returns tweets, replies and retweets of a user, newest first. */
  userTweets(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>>;
  /** Returns the wrapper tweets of a user's published articles. */
  userArticles(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>>;
  followers(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>>;
  following(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>>;
  /** Returns the followers of a user whom the actor follows too. */
  knownFollowers(user: UserReference, page: PageRequest): Promise<PageOf<UserCard> & ViewerPage<UserCard>>;
  /** Returns the accounts affiliated with a verified organization. */
  affiliates(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>>;
  follow(user: UserReference): Promise<FollowState>;
  unfollow(user: UserReference): Promise<FollowState>;
  listMembers(listId: string, page: PageRequest): Promise<Page<UserCard>>;
  /**
   * Returns the next events of the actor's activity feed. Without a cursor: no events, and a cursor at the end of the feed. A
   * page with fewer events than `count` is the last one for now. Throws `bad_input` if the cursor is no longer valid.
   */
  activity(page: PageRequest): Promise<ActivityPage>;
  readonly media: PlatformMedia;
  readonly realms: PlatformRealms;
  readonly messages: PlatformMessages;
  readonly articles: PlatformArticles;
}

/** Thrown for an operation that an adapter does not have. The core responds with 501 and names the action. */
export class NotSupportedError extends Error {
  override readonly name = 'NotSupportedError';
}

/** The media of a platform. */
export interface PlatformMedia {
  /**
   * Uploads media and returns its id. Only the actor can attach it. Throws `bad_input` if the platform does not accept such
   * media.
   */
  upload(media: TakenMedia): Promise<string>;
}
