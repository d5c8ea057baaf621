import type { Tweet } from '../../shared/model/tweet.ts';
import type { UserCard } from '../../shared/model/user.ts';
import type { UserAbout } from '../../shared/model/user-about.ts';
import type { PlatformArticles } from '../articles-port.ts';
import { flag, id, nullable, object, readTweetTime, text, type Wire } from '../http/wire.ts';
import type {
  ActivityPage,
  ActivityRequest,
  CreatedTweet,
  FollowState,
  NewTweet,
  PageOf,
  PageRequest,
  PlatformCall,
  PlatformMedia,
  UserReference,
  ViewerPage,
} from '../port.ts';
import type { PlatformRealms } from '../realms-port.ts';
import { cardFields } from '../x/fields.ts';
import { aUser } from '../x/identifiers.ts';
import { named, posts, users } from '../x/operations.ts';
import { aTweet } from '../x/problems.ts';
import { readAbout } from '../x/read-user.ts';
import { type SessionParts, XSession } from '../x/session.ts';
import { SandboxArticles } from './articles.ts';
import type { SandboxClient, SandboxRequest } from './client.ts';
import { SandboxMedia } from './media.ts';
import { SandboxMessages } from './messages.ts';
import { pathOf, withPage } from './paths.ts';
import { readActivity } from './read-activity.ts';
import { sandboxRealms } from './realms.ts';

/** The sandbox's extensions of X's API: what X does not offer. */
const extensions = named({
  getSandboxHome: posts('/sandbox/home', null, { sizes: [1, 100] }),
  getFollowersYouKnow: users('/sandbox/users/{}/followers_you_know', null, { sizes: [1, 1_000] }),
  getUserAbout: users('/sandbox/users/{}/about', null),
});

/**
 * A session on the sandbox on behalf of one actor. It reads tweets, users, lists and searches as a session on X does. The other operations
 * are those of `schema/sandbox.openapi.json`.
 */
export class SandboxSession extends XSession {
  readonly #client: SandboxClient;
  readonly #call: PlatformCall;
  readonly #readTweetUrl: (url: string) => string | null;

  constructor(
    parts: SessionParts,
    client: SandboxClient,
    call: PlatformCall,
    readTweetUrl: (url: string) => string | null,
  ) {
    super(parts, call);
    this.#client = client;
    this.#call = call;
    this.#readTweetUrl = readTweetUrl;
  }

  override get media(): PlatformMedia {
    return new SandboxMedia(this.#client, this.#call);
  }

  override get articles(): PlatformArticles {
    return new SandboxArticles(this.#client, this.#call);
  }

  override createTweet(tweet: NewTweet): Promise<CreatedTweet> {
    const quoteOfId = tweet.quoteTweetId ?? (tweet.quoteTweetUrl ? this.#readTweetUrl(tweet.quoteTweetUrl) : null);
    const body = {
      text: tweet.text,
      ...(tweet.replyToTweetId !== null && { reply_to_id: tweet.replyToTweetId }),
      ...(quoteOfId !== null && { quote_of_id: quoteOfId }),
      ...(tweet.mediaIds && tweet.mediaIds.length > 0 && { media_ids: tweet.mediaIds }),
    };
    const named = tweet.replyToTweetId ?? quoteOfId;
    const subject = named === null ? {} : ({ subject: { kind: 'Tweet', id: named } } as const);
    return this.#send(
      { operation: 'createTweet', method: 'POST', path: '/api/tweets', body, ...subject },
      readCreatedTweet,
    );
  }

  override deleteTweet(tweetId: string): Promise<void> {
    return this.#change('deleteTweet', 'DELETE', tweetId, '', 'deleted');
  }

  override likeTweet(tweetId: string): Promise<void> {
    return this.#change('likeTweet', 'PUT', tweetId, '/like', 'liked');
  }

  override unlikeTweet(tweetId: string): Promise<void> {
    return this.#change('unlikeTweet', 'DELETE', tweetId, '/like', 'liked');
  }

  override bookmarkTweet(tweetId: string): Promise<void> {
    return this.#change('bookmarkTweet', 'PUT', tweetId, '/bookmark', 'bookmarked');
  }

  override unbookmarkTweet(tweetId: string): Promise<void> {
    return this.#change('unbookmarkTweet', 'DELETE', tweetId, '/bookmark', 'bookmarked');
  }

  override retweet(tweetId: string): Promise<void> {
    return this.#change('retweet', 'PUT', tweetId, '/retweet', 'retweeted');
  }

  override unretweet(tweetId: string): Promise<void> {
    return this.#change('unretweet', 'DELETE', tweetId, '/retweet', 'retweeted');
  }

  override async homeTimeline(page: PageRequest): Promise<ViewerPage<Tweet>> {
    const found = await this.postPage({ operation: extensions.getSandboxHome }, page, { reposts: true });
    return { ...found, viewerId: await this.viewerId() };
  }

  override async knownFollowers(
    user: UserReference,
    page: PageRequest,
  ): Promise<PageOf<UserCard> & ViewerPage<UserCard>> {
    const operation = extensions.getFollowersYouKnow;
    const found = await this.ofUser(user, (of) => this.userPage({ operation, ...of }, page));
    return { ...found, viewerId: await this.viewerId() };
  }

  override userAbout(user: UserReference): Promise<UserAbout> {
    const request = { operation: extensions.getUserAbout, subject: aUser(user), fields: cardFields };
    return this.parts.identifiers.withId(user, this.call, (id) =>
      this.send({ ...request, id }, ({ data }) => {
        const about = object(data, 'data');
        return readAbout(about, about);
      }),
    );
  }

  override follow(user: UserReference): Promise<FollowState> {
    return this.#setFollow('follow', 'PUT', user);
  }

  override unfollow(user: UserReference): Promise<FollowState> {
    return this.#setFollow('unfollow', 'DELETE', user);
  }

  override activity({ waitMs = 0, ...page }: ActivityRequest): Promise<ActivityPage> {
    const read = (body: Wire) => readActivity(body, page.count);
    if (waitMs === 0) return this.#get('activity', withPage('/api/activity', page), read);
    const asked = withPage('/api/activity', page, { wait_ms: String(waitMs) });
    return this.#send({ operation: 'activityWait', method: 'GET', ...asked, waitMs }, read);
  }

  override get messages(): SandboxMessages {
    return new SandboxMessages(this.#client, this.#call);
  }

  override get realms(): PlatformRealms {
    return sandboxRealms(this.#client, this.#call);
  }

  #setFollow(operation: string, method: 'PUT' | 'DELETE', user: UserReference): Promise<FollowState> {
    return this.#send({ operation, method, path: `${pathOf(user)}/follow`, subject: aUser(user) }, readFollowState);
  }

  /** Sends a write to one tweet and checks the boolean in its response. */
  #change(operation: string, method: 'PUT' | 'DELETE', tweetId: string, part: string, confirms: string): Promise<void> {
    const path = `/api/tweets/${tweetId}${part}`;
    return this.#send({ operation, method, path, subject: aTweet(tweetId) }, (body) => {
      flag(body[confirms], confirms);
    });
  }

  #get<T>(
    operation: string,
    at: string | Pick<SandboxRequest, 'path' | 'count'>,
    read: (body: Wire) => T,
    subject?: SandboxRequest['subject'],
  ): Promise<T> {
    const address = typeof at === 'string' ? { path: at } : at;
    return this.#send({ operation, method: 'GET', ...address, ...(subject && { subject }) }, read);
  }

  #send<T>(request: SandboxRequest, read: (body: Wire) => T): Promise<T> {
    return this.#client.send(request, this.#call, read);
  }
}

/** The maximum length of the text of a tweet, in UTF-16 code units. */
const maxTextLength = 200_000;

function readCreatedTweet(body: Wire): CreatedTweet {
  const tweet = object(body.tweet, 'tweet');
  return {
    id: id(tweet.id, 'id'),
    text: text(tweet.text, 'text', maxTextLength),
    createdAt: readTweetTime(tweet.created_at, 'created_at'),
    pendingModeration: flag(tweet.pending_moderation, 'pending_moderation'),
    communityId: nullable(text, tweet.community_id, 'community_id'),
  };
}

function readFollowState(body: Wire): FollowState {
  const user = object(body.user, 'user');
  return {
    id: id(user.id, 'id'),
    userName: text(user.screen_name, 'screen_name'),
    name: text(user.name, 'name'),
    following: flag(body.following, 'following'),
    followRequestSent: flag(body.follow_requested, 'follow_requested'),
    protected: flag(user.protected, 'protected'),
  };
}
