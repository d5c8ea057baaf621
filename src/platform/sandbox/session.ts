import type { Page } from '../../model/page.ts';
import type { Tweet } from '../../model/tweet.ts';
import type { UserProfile } from '../../model/user-profile.ts';
import {
  type CreatedTweet,
  type NewTweet,
  type PlatformCall,
  type TweetSearch,
  UnsupportedSession,
  type UserReference,
} from '../port.ts';
import type { Request, SandboxClient } from './client.ts';
import { readTweets } from './read-tweet.ts';
import { readProfile } from './read-user.ts';
import { flag, id, nullable, object, text, tweetTime, type Wire } from './wire.ts';

/** The sandbox platform as one actor sees it. One method an operation of `schema/platform.openapi.json`. */
export class SandboxSession extends UnsupportedSession {
  readonly #client: SandboxClient;
  readonly #call: PlatformCall;

  constructor(client: SandboxClient, call: PlatformCall) {
    super();
    this.#client = client;
    this.#call = call;
  }

  override searchTweets({ q, product, count, cursor }: TweetSearch): Promise<Page<Tweet>> {
    const query = new URLSearchParams({ q, product: product.toLowerCase(), count: String(count) });
    if (cursor !== null) query.set('cursor', cursor);
    return this.#send({ operation: 'search', method: 'GET', path: `/api/search?${query}` }, readTweetPage);
  }

  override createTweet(tweet: NewTweet): Promise<CreatedTweet> {
    const body = {
      text: tweet.text,
      ...(tweet.replyToTweetId !== null && { reply_to_id: tweet.replyToTweetId }),
      ...(tweet.quoteTweetId !== null && { quote_of_id: tweet.quoteTweetId }),
    };
    const named = tweet.replyToTweetId ?? tweet.quoteTweetId;
    return this.#send(
      {
        operation: 'createTweet',
        method: 'POST',
        path: '/api/tweets',
        body,
        ...(named !== null && { subject: { kind: 'Tweet', id: named } }),
      },
      readCreatedTweet,
    );
  }

  override likeTweet(tweetId: string): Promise<void> {
    return this.#setLike('likeTweet', 'PUT', tweetId);
  }

  override unlikeTweet(tweetId: string): Promise<void> {
    return this.#setLike('unlikeTweet', 'DELETE', tweetId);
  }

  override userProfile(user: UserReference): Promise<UserProfile> {
    const [path, name] =
      'userId' in user
        ? [`/api/users/${user.userId}`, user.userId]
        : [`/api/users/by/${encodeURIComponent(user.userName)}`, user.userName];
    return this.#send({ operation: 'getUser', method: 'GET', path, subject: { kind: 'User', id: name } }, (body) =>
      readProfile(object(body, 'user')),
    );
  }

  #setLike(operation: string, method: 'PUT' | 'DELETE', tweetId: string): Promise<void> {
    const subject = { kind: 'Tweet', id: tweetId } as const;
    return this.#send({ operation, method, path: `/api/tweets/${tweetId}/like`, subject }, (body) => {
      flag(body, 'liked');
    });
  }

  #send<T>(request: Request, read: (body: Wire) => T): Promise<T> {
    return this.#client.send(request, this.#call, read);
  }
}

function readTweetPage(page: Wire): Page<Tweet> {
  return { items: readTweets(page), cursor: nullable(text, page, 'next_cursor') };
}

function readCreatedTweet(body: Wire): CreatedTweet {
  const tweet = object(body, 'tweet');
  return {
    id: id(tweet, 'id'),
    text: text(tweet, 'text'),
    createdAt: tweetTime(tweet, 'created_at'),
    pendingModeration: flag(tweet, 'pending_moderation'),
    communityId: nullable(text, tweet, 'community_id'),
  };
}
