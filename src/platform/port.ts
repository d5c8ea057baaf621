import type { Page } from '../model/page.ts';
import type { Tweet } from '../model/tweet.ts';
import type { UserProfile } from '../model/user-profile.ts';
import type { ForwardProxy } from '../outbound/proxy.ts';
import type { Secret } from '../secrets/secret.ts';

export type { ForwardProxy };

/**
 * A social platform, in the words of SPEC.md. An adapter owns the mapping of ids to SPEC.md's numeric strings, gives
 * every call a deadline, retries no write, and throws `PosternError`s written for the caller: `forbidden` where the
 * platform refuses the actor, `not_found`, `conflict`, `bad_input`, `rate_limited`, `platform_unavailable` (down, or
 * answering nonsense), `platform_timeout`. All traffic of a call with a proxy goes through it, or nowhere; its faults are
 * `platform_unavailable` or `platform_timeout` naming it.
 */
export interface Platform {
  /** For messages, such as `sandbox`. */
  readonly kind: string;
  /** The platform as one actor sees it, for one call. */
  as(call: PlatformCall): PlatformSession;
  /** Throws unless the platform answers now. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface PlatformCall {
  /** The actor's `auth_token` cookie. */
  authToken: Secret;
  /** The caller's own proxy for this call. */
  proxy: ForwardProxy | null;
  /** Aborted when nobody waits for the answer any more; `null` for a write, which runs on. */
  signal: AbortSignal | null;
  /** Names this write: the platform performs a token once, however often it is sent. */
  idempotencyToken: string;
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
}

export interface CreatedTweet {
  id: string;
  text: string;
  createdAt: string;
  pendingModeration: boolean;
  communityId: string | null;
}

export type UserReference = { userId: string } | { userName: string };

export interface PlatformSession {
  searchTweets(search: TweetSearch): Promise<Page<Tweet>>;
  createTweet(tweet: NewTweet): Promise<CreatedTweet>;
  /** Idempotent. */
  likeTweet(tweetId: string): Promise<void>;
  /** Idempotent. */
  unlikeTweet(tweetId: string): Promise<void>;
  userProfile(user: UserReference): Promise<UserProfile>;
}

/** Thrown by what an adapter does not have. The core answers 501 and names the action. */
export class NotSupportedError extends Error {
  override readonly name = 'NotSupportedError';
}

/** What an adapter's session extends: each operation that it does not override is not supported. */
export class UnsupportedSession implements PlatformSession {
  searchTweets(_search: TweetSearch): Promise<Page<Tweet>> {
    throw new NotSupportedError();
  }
  createTweet(_tweet: NewTweet): Promise<CreatedTweet> {
    throw new NotSupportedError();
  }
  likeTweet(_tweetId: string): Promise<void> {
    throw new NotSupportedError();
  }
  unlikeTweet(_tweetId: string): Promise<void> {
    throw new NotSupportedError();
  }
  userProfile(_user: UserReference): Promise<UserProfile> {
    throw new NotSupportedError();
  }
}
