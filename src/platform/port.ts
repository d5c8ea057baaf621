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
  /** For messages, such as `sandbox`. */
  readonly kind: string;
  /** True where the platform performs a write's token once, however often it is sent. */
  readonly honoursTokens: boolean;
  /** Whether addresses of tweets may have this host (lower case, with the port if there is one). */
  isTweetHost(host: string): boolean;
  /** The platform as one actor sees it, for one call. */
  as(call: PlatformCall): PlatformSession;
  /** Throws unless the platform answers now. */
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
  /** Aborted when nobody waits for the answer any more; `null` for a write, which runs on. */
  signal: AbortSignal | null;
  /** Asked once for each write that is about to be sent: the token that names it to the platform. */
  tokenFor: (operation: string) => string;
  /** For large articles. Sessions that touch no article need none. */
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
  /** Of uploads of the actor; may be left out. One that is unknown, or another's, is `not_found`. */
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

/** Whose list a page is from. */
export interface UserName {
  id: string;
  userName: string;
}

/** A page of what belongs to one user. */
export interface PageOf<Item> extends Page<Item> {
  user: UserName;
}

/** A page as the actor sees it. */
export interface ViewerPage<Item> extends Page<Item> {
  viewerId: string;
}

/** A stretch of what others did that concerns the actor, oldest first. */
export interface ActivityPage {
  events: PlatformEvent[];
  /** Where to go on, always; behind an empty page too. */
  cursor: string;
  /** Some events after the cursor that was given are lost. */
  gap: boolean;
}

export interface FollowState extends UserName {
  name: string;
  following: boolean;
  /** A protected user has yet to accept. */
  followRequestSent: boolean;
  protected: boolean;
}

/** What can be asked of a platform. Writes are idempotent, save for `createTweet` and `deleteTweet`. */
export interface PlatformSession {
  searchTweets(search: TweetSearch): Promise<Page<Tweet>>;
  createTweet(tweet: NewTweet): Promise<CreatedTweet>;
  /** Of one's own; a second time is `not_found`. */
  deleteTweet(tweetId: string): Promise<void>;
  likeTweet(tweetId: string): Promise<void>;
  unlikeTweet(tweetId: string): Promise<void>;
  bookmarkTweet(tweetId: string): Promise<void>;
  unbookmarkTweet(tweetId: string): Promise<void>;
  retweet(tweetId: string): Promise<void>;
  unretweet(tweetId: string): Promise<void>;
  tweet(tweetId: string): Promise<Tweet>;
  /** Newest first. */
  replies(tweetId: string, page: PageRequest): Promise<Page<Tweet>>;
  /** The tweets that quote this one, newest first. */
  quotes(tweetId: string, page: PageRequest): Promise<Page<Tweet>>;
  /** Returns the users who retweeted the tweet, ordered by the time of the retweet, newest first. */
  retweeters(tweetId: string, page: PageRequest): Promise<Page<UserCard>>;
  /** The actor's For You feed. */
  homeTimeline(page: PageRequest): Promise<ViewerPage<Tweet>>;
  bookmarks(page: PageRequest): Promise<ViewerPage<Tweet>>;
  /** Tweets of others that mention the actor, newest first. */
  mentions(page: PageRequest): Promise<ViewerPage<Tweet>>;
  /** The actor. */
  ownProfile(): Promise<UserProfile>;
  userProfile(user: UserReference): Promise<UserProfile>;
  /** Users who match the words, the best match first. */
  searchUsers(search: PageRequest & { q: string }): Promise<Page<UserCard>>;
  userAbout(user: UserReference): Promise<UserAbout>;
  /** Tweets, replies and retweets, newest first. */
  userTweets(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>>;
  /** Published articles as their wrapper tweets. */
  userArticles(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>>;
  followers(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>>;
  following(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>>;
  /** Followers of the user whom the actor follows too. */
  knownFollowers(user: UserReference, page: PageRequest): Promise<PageOf<UserCard> & ViewerPage<UserCard>>;
  /** Of a verified organization. */
  affiliates(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>>;
  follow(user: UserReference): Promise<FollowState>;
  unfollow(user: UserReference): Promise<FollowState>;
  listMembers(listId: string, page: PageRequest): Promise<Page<UserCard>>;
  /**
   * Without a cursor the end: no events, and the cursor from which on things are new. A full page has more behind it, a
   * shorter one has not for now. `bad_input`: the cursor holds no longer.
   */
  activity(page: PageRequest): Promise<ActivityPage>;
  readonly media: PlatformMedia;
  readonly realms: PlatformRealms;
  readonly messages: PlatformMessages;
  readonly articles: PlatformArticles;
}

/** Thrown by what an adapter does not have. The core answers 501 and names the action. */
export class NotSupportedError extends Error {
  override readonly name = 'NotSupportedError';
}

/** What can be asked of a platform that keeps media. */
export interface PlatformMedia {
  /**
   * The platform's id of what was uploaded, to be attached by its owner alone. `bad_input` where the platform does not take
   * such media.
   */
  upload(media: TakenMedia): Promise<string>;
}
