import { Chats } from '../chat/chats.ts';
import { SearchIndex } from '../search/index.ts';
import { ActivityLog } from './activity.ts';
import { Articles } from './articles.ts';
import { makeTweet, makeUser, type NewUser, type TweetDraft } from './factories.ts';
import { HomeFeeds } from './home.ts';
import { Ranking } from './ranking.ts';
import { Relation } from './relation.ts';
import { compareIds, nextSnowflake } from './snowflake.ts';
import type { List, SandboxTweet, User } from './types.ts';
import { Uploads } from './uploads.ts';

export type { NewUser, TweetDraft as NewTweet } from './factories.ts';

/**
 * The state of the simulated platform, in memory. The dataset maintains its own indexes and counts. It checks no
 * permissions, which is the task of the operations, and it writes nothing to disk, which is the task of the journal.
 */
export class Dataset {
  readonly users = new Map<string, User>();
  readonly lists = new Map<string, List>();
  /** The affiliated accounts of an organization, in the order in which they joined. */
  readonly affiliates = new Map<User, readonly User[]>();
  /** Ordered by id. Tweets are never removed, so that the position of a tweet does not change. */
  readonly tweets: SandboxTweet[] = [];
  readonly ranking = new Ranking(this.tweets);
  readonly created: SandboxTweet[] = [];
  readonly index: SearchIndex;
  readonly feeds = new HomeFeeds();
  readonly activity = new ActivityLog();
  readonly chats = new Chats();
  readonly uploads = new Uploads();
  readonly articles = new Articles();
  minted = 0;
  /** The base URL of the sandbox. Links to pages and pictures start with it. */
  origin = '';
  #lastRetweet: string | undefined;
  readonly #byName = new Map<string, User>();
  readonly #byToken = new Map<string, User>();

  constructor(index = new SearchIndex()) {
    this.index = index;
  }

  userNamed = (screenName: string): User | undefined => this.#byName.get(screenName.toLowerCase());

  userByToken(token: string): User | undefined {
    return this.#byToken.get(token);
  }

  tweet(id: string): SandboxTweet | undefined {
    const tweet = this.tweets[this.positionOf(id)];
    return tweet?.id === id ? tweet : undefined;
  }

  get lastTweetId(): string | undefined {
    return this.tweets.at(-1)?.id;
  }

  /** Adds a user. Follows are given only when a snapshot is loaded. */
  addUser(fields: NewUser, follows?: Pick<User, 'followers' | 'following'>): User {
    const user = makeUser(fields, follows);
    this.users.set(user.id, user);
    this.#byName.set(user.screenName.toLowerCase(), user);
    if (user.token !== null) this.#byToken.set(user.token, user);
    return user;
  }

  /** Adds a follow and removes a pending follow request. Returns false if the user already followed. */
  follow(follower: User, followed: User): boolean {
    follower.requested.delete(followed);
    if (!follower.following.add(followed)) return false;
    followed.followers.add(follower);
    if (followed.state === 'active') follower.followingCount++;
    if (follower.state === 'active') followed.followerCount++;
    return true;
  }

  /** Removes a follow and a pending follow request. */
  unfollow(follower: User, followed: User): void {
    follower.requested.delete(followed);
    if (!follower.following.delete(followed)) return;
    followed.followers.delete(follower);
    if (followed.state === 'active') follower.followingCount--;
    if (follower.state === 'active') followed.followerCount--;
  }

  addList(list: List): void {
    this.lists.set(list.id, list);
    for (const member of list.members) member.listed++;
  }

  /** Adds a tweet. Throws if its id is not above the ids of all other tweets. */
  addTweet(fields: TweetDraft): SandboxTweet {
    const last = this.lastTweetId;
    if (last !== undefined && compareIds(fields.id, last) <= 0) throw new Error(`tweet ${fields.id} is out of order`);
    const { author, replyTo, quoteOf } = fields;
    const tweet = makeTweet(fields, this.tweets.length, this.userNamed);
    this.restoreTweet(tweet, replyTo, quoteOf);
    author.tweetCount++;
    if (tweet.media.length > 0) author.mediaCount++;
    if (replyTo !== undefined) replyTo.replies++;
    if (quoteOf !== undefined) quoteOf.quotes++;
    if (tweet.createdByCall) this.created.push(tweet);
    this.index.add(tweet);
    this.ranking.add(tweet);
    return tweet;
  }

  /** Adds a tweet of a snapshot. The counts and the index already include the tweet, so they are not updated. */
  restoreTweet(tweet: SandboxTweet, replyTo: SandboxTweet | undefined, quoteOf: SandboxTweet | undefined): void {
    const { author, article } = tweet;
    this.tweets.push(tweet);
    author.tweets.push(tweet.position);
    if (article !== null) {
      author.articles.push(tweet.position);
      this.articles.publish(tweet, article);
      if (tweet.deleted) this.articles.unpublish(tweet);
    }
    if (replyTo !== undefined) addAnswer(replyTo, tweet);
    if (quoteOf !== undefined) addQuote(quoteOf, tweet);
  }

  /** Marks a tweet as deleted. The tweet stays in memory, so that tweets that quote it can show that it was deleted. */
  remove(tweet: SandboxTweet): void {
    if (tweet.deleted) return;
    tweet.deleted = true;
    this.articles.unpublish(tweet);
    const { author } = tweet;
    author.tweetCount--;
    if (tweet.media.length > 0) author.mediaCount--;
    const pinned = author.pinned.indexOf(tweet.id);
    if (pinned >= 0) author.pinned.splice(pinned, 1);
    const parent = tweet.replyTo === null ? undefined : this.tweet(tweet.replyTo.tweetId);
    if (parent !== undefined) parent.replies--;
    const quoted = tweet.quoteOf === null ? undefined : this.tweet(tweet.quoteOf);
    if (quoted !== undefined) quoted.quotes--;
  }

  /** Returns the position of the first tweet whose id is `id` or higher. */
  positionOf(id: string): number {
    let low = 0;
    let high = this.tweets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.tweets[middle];
      if (other !== undefined && compareIds(other.id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns false if the user already liked the tweet. */
  like(user: User, tweet: SandboxTweet): boolean {
    if (user.liked.has(tweet)) return false;
    user.liked.add(tweet);
    tweet.likes++;
    return true;
  }

  unlike(user: User, tweet: SandboxTweet): void {
    if (user.liked.delete(tweet)) tweet.likes--;
  }

  /** Returns false if the user already retweeted the tweet. */
  retweet(user: User, tweet: SandboxTweet, at: number): boolean {
    if (user.retweeted.has(tweet)) return false;
    this.#lastRetweet = nextSnowflake(at, this.#lastRetweet);
    user.retweeted.set(tweet, this.#lastRetweet);
    tweet.retweeters ??= new Relation();
    tweet.retweeters.add(user);
    tweet.retweets++;
    return true;
  }

  unretweet(user: User, tweet: SandboxTweet): void {
    if (!user.retweeted.delete(tweet)) return;
    tweet.retweeters?.delete(user);
    tweet.retweets--;
  }

  bookmark(user: User, tweet: SandboxTweet): void {
    if (user.bookmarked.add(tweet)) tweet.bookmarks++;
  }

  unbookmark(user: User, tweet: SandboxTweet): void {
    if (user.bookmarked.delete(tweet)) tweet.bookmarks--;
  }
}

// Creates the array with one item, because most arrays get no second one. Pushing into an empty array would reserve
// memory for 17 items.
function addAnswer(parent: SandboxTweet, answer: SandboxTweet): void {
  if (parent.replyPositions === undefined) parent.replyPositions = [answer.position];
  else parent.replyPositions.push(answer.position);
  if (isShownToAll(answer)) return;
  if (parent.restrictedReplies === undefined) parent.restrictedReplies = [answer];
  else parent.restrictedReplies.push(answer);
}

function addQuote(quoted: SandboxTweet, by: SandboxTweet): void {
  if (quoted.quotePositions === undefined) quoted.quotePositions = [by.position];
  else quoted.quotePositions.push(by.position);
  if (isShownToAll(by)) return;
  if (quoted.restrictedQuotes === undefined) quoted.restrictedQuotes = [by];
  else quoted.restrictedQuotes.push(by);
}

function isShownToAll({ author }: SandboxTweet): boolean {
  return author.state === 'active' && !author.protected;
}
