import { PosternError } from '../../shared/errors/postern-error.ts';
import type { MissingReason } from '../../shared/model/lookup.ts';
import type { Page } from '../../shared/model/page.ts';
import type { Tweet } from '../../shared/model/tweet.ts';
import type { UserCard, UserProfile } from '../../shared/model/user.ts';
import type { UserAbout } from '../../shared/model/user-about.ts';
import type { PlatformArticles } from '../articles-port.ts';
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
  TweetSearch,
  UserReference,
  ViewerPage,
} from '../port.ts';
import type { PlatformRealms } from '../realms-port.ts';
import { UnsupportedSession } from '../unsupported-session.ts';
import { SandboxArticles } from './articles.ts';
import type { SandboxClient, SandboxRequest } from './client.ts';
import { SandboxMedia } from './media.ts';
import { SandboxMessages } from './messages.ts';
import { aTweet, aUser, pathOf, withPage } from './paths.ts';
import { readActivity } from './read-activity.ts';
import { readCreatedTweet, readTweet, readTweets } from './read-tweet.ts';
import { readAbout, readFollowState, readProfile, readUserCards } from './read-user.ts';
import { sandboxRealms } from './realms.ts';
import { flag, object, readOwner, readPage, readViewer, type Wire } from './wire.ts';

/**
 * A session on the sandbox platform on behalf of one actor. Each method calls one operation of
 * `schema/platform.openapi.json`.
 */
export class SandboxSession extends UnsupportedSession {
  readonly #client: SandboxClient;
  readonly #call: PlatformCall;
  readonly #readTweetUrl: (url: string) => string | null;

  constructor(client: SandboxClient, call: PlatformCall, readTweetUrl: (url: string) => string | null) {
    super();
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

  override searchTweets({ q, product, count, cursor }: TweetSearch): Promise<Page<Tweet>> {
    const asked = withPage('/api/search', { count, cursor }, { q, product: product.toLowerCase() });
    return this.#get('search', asked, (body) => readPage(body, readTweets, {}));
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

  override tweet(tweetId: string): Promise<Tweet> {
    return this.#get(
      'tweet',
      `/api/tweets/${tweetId}`,
      (body) => readTweet(object(body.tweet, 'tweet')),
      aTweet(tweetId),
    );
  }

  override tweets(ids: readonly string[]): Promise<(Tweet | MissingReason)[]> {
    return Promise.all(ids.map((id) => orMissing(this.tweet(id))));
  }

  override replies(tweetId: string, page: PageRequest): Promise<Page<Tweet>> {
    const asked = withPage(`/api/tweets/${tweetId}/replies`, page);
    return this.#get('replies', asked, (body) => readPage(body, readTweets, {}), aTweet(tweetId));
  }

  override quotes(tweetId: string, page: PageRequest): Promise<Page<Tweet>> {
    const asked = withPage(`/api/tweets/${tweetId}/quotes`, page);
    return this.#get('quotes', asked, (body) => readPage(body, readTweets, {}), aTweet(tweetId));
  }

  override retweeters(tweetId: string, page: PageRequest): Promise<Page<UserCard>> {
    const asked = withPage(`/api/tweets/${tweetId}/retweeters`, page);
    return this.#get('retweeters', asked, (body) => readPage(body, readUserCards, {}), aTweet(tweetId));
  }

  override homeTimeline(page: PageRequest): Promise<ViewerPage<Tweet>> {
    return this.#get('home', withPage('/api/home', page), (body) => readPage(body, readTweets, readViewer(body)));
  }

  override bookmarks(page: PageRequest): Promise<ViewerPage<Tweet>> {
    const asked = withPage('/api/bookmarks', page);
    return this.#get('bookmarks', asked, (body) => readPage(body, readTweets, readViewer(body)));
  }

  override mentions(page: PageRequest): Promise<ViewerPage<Tweet>> {
    return this.#get('mentions', withPage('/api/mentions', page), (body) =>
      readPage(body, readTweets, readViewer(body)),
    );
  }

  override ownProfile(): Promise<UserProfile> {
    return this.#get('me', '/api/me', (body) => readProfile(object(body.user, 'user')));
  }

  override userProfile(user: UserReference): Promise<UserProfile> {
    return this.#get('user', pathOf(user), (body) => readProfile(object(body.user, 'user')), aUser(user));
  }

  override users(users: readonly UserReference[]): Promise<(UserProfile | MissingReason)[]> {
    return Promise.all(users.map((user) => orMissing(this.userProfile(user))));
  }

  override searchUsers({ q, ...page }: PageRequest & { q: string }): Promise<Page<UserCard>> {
    const asked = withPage('/api/search/users', page, { q });
    return this.#get('searchUsers', asked, (body) => readPage(body, readUserCards, {}));
  }

  override userAbout(user: UserReference): Promise<UserAbout> {
    return this.#get('about', `${pathOf(user)}/about`, (body) => readAbout(object(body.about, 'about')), aUser(user));
  }

  override userTweets(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>> {
    const asked = withPage(`${pathOf(user)}/tweets`, page);
    return this.#get('userTweets', asked, (body) => readPage(body, readTweets, readOwner(body)), aUser(user));
  }

  override userArticles(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>> {
    const asked = withPage(`${pathOf(user)}/articles`, page);
    return this.#get('userArticles', asked, (body) => readPage(body, readTweets, readOwner(body)), aUser(user));
  }

  override followers(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>> {
    return this.#users('followers', user, page);
  }

  override following(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>> {
    return this.#users('following', user, page);
  }

  override affiliates(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>> {
    return this.#users('affiliates', user, page);
  }

  override knownFollowers(user: UserReference, page: PageRequest): Promise<PageOf<UserCard> & ViewerPage<UserCard>> {
    const asked = withPage(`${pathOf(user)}/known-followers`, page);
    const read = (body: Wire) => readPage(body, readUserCards, { ...readOwner(body), ...readViewer(body) });
    return this.#get('knownFollowers', asked, read, aUser(user));
  }

  override follow(user: UserReference): Promise<FollowState> {
    return this.#setFollow('follow', 'PUT', user);
  }

  override unfollow(user: UserReference): Promise<FollowState> {
    return this.#setFollow('unfollow', 'DELETE', user);
  }

  override listMembers(listId: string, page: PageRequest): Promise<Page<UserCard>> {
    const asked = withPage(`/api/lists/${listId}/members`, page);
    return this.#get('listMembers', asked, (body) => readPage(body, readUserCards, {}), { kind: 'List', id: listId });
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

  #users(list: 'followers' | 'following' | 'affiliates', user: UserReference, page: PageRequest) {
    const asked = withPage(`${pathOf(user)}/${list}`, page);
    return this.#get(list, asked, (body) => readPage(body, readUserCards, readOwner(body)), aUser(user));
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

async function orMissing<Item>(reading: Promise<Item>): Promise<Item | MissingReason> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof PosternError && error.reason === 'resource_not_found') return 'not_found';
    if (error instanceof PosternError && error.reason === 'platform_refused') return 'forbidden';
    throw error;
  }
}
