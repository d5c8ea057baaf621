import { Chats } from '../chat/chats.ts';
import { SearchIndex } from '../search/index.ts';
import { ActivityLog } from './activity.ts';
import { Articles } from './articles.ts';
import { HomeFeeds } from './home.ts';
import { makeTweet, makeUser, type NewUser, type TweetDraft } from './new.ts';
import { Ranking } from './ranking.ts';
import { Relation } from './relation.ts';
import { compareIds, nextSnowflake } from './snowflake.ts';
import type { List, SandboxTweet, User } from './types.ts';
import { Uploads } from './uploads.ts';

export type { NewUser, TweetDraft as NewTweet } from './new.ts';

/**
 * The state of the platform, held in memory. It keeps its own indexes and counts true and decides nothing: who may do
 * what is for the operations, and what outlives the process is for the journal.
 */
export class Dataset {
  readonly users = new Map<string, User>();
  readonly lists = new Map<string, List>();
  /** The affiliated accounts of an organization, in the order in which they joined. */
  readonly affiliates = new Map<User, readonly User[]>();
  /** In the order of ids. Nothing is ever taken out, so that a position stays what it is. */
  readonly tweets: SandboxTweet[] = [];
  readonly ranking = new Ranking(this.tweets);
  readonly created: SandboxTweet[] = [];
  readonly index = new SearchIndex();
  readonly feeds = new HomeFeeds();
  readonly activity = new ActivityLog();
  readonly chats = new Chats();
  readonly uploads = new Uploads();
  readonly articles = new Articles();
  minted = 0;
  /** Where this dataset answers; pages and pictures are addressed under it. */
  origin = '';
  #lastRetweet: string | undefined;
  readonly #byName = new Map<string, User>();
  readonly #byToken = new Map<string, User>();
  readonly #tweetsById = new Map<string, SandboxTweet>();

  userNamed = (screenName: string): User | undefined => this.#byName.get(screenName.toLowerCase());

  userByToken(token: string): User | undefined {
    return this.#byToken.get(token);
  }

  tweet(id: string): SandboxTweet | undefined {
    return this.#tweetsById.get(id);
  }

  get lastTweetId(): string | undefined {
    return this.tweets.at(-1)?.id;
  }

  addUser(fields: NewUser): User {
    const user = makeUser(fields);
    this.users.set(user.id, user);
    this.#byName.set(user.screenName.toLowerCase(), user);
    if (user.token !== null) this.#byToken.set(user.token, user);
    return user;
  }

  /** What was only asked for before is granted by it. Says whether it was not so before. */
  follow(follower: User, followed: User): boolean {
    follower.requested.delete(followed);
    if (!follower.following.add(followed)) return false;
    followed.followers.add(follower);
    if (followed.state === 'active') follower.followingCount++;
    if (follower.state === 'active') followed.followerCount++;
    return true;
  }

  /** Takes a request back too. */
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

  /** Takes a tweet whose id is later than every other. */
  addTweet(fields: TweetDraft): SandboxTweet {
    const last = this.lastTweetId;
    if (last !== undefined && compareIds(fields.id, last) <= 0) throw new Error(`tweet ${fields.id} is out of order`);
    const { author, replyTo, quoteOf } = fields;
    const tweet = makeTweet(fields, this.tweets.length, this.userNamed);
    this.tweets.push(tweet);
    this.#tweetsById.set(tweet.id, tweet);
    author.tweets.push(tweet.position);
    if (fields.article !== undefined) {
      author.articles.push(tweet.position);
      this.articles.wrap(tweet, fields.article);
    }
    author.tweetCount++;
    if (tweet.media.length > 0) author.mediaCount++;
    if (replyTo !== undefined) addAnswer(replyTo, tweet);
    if (quoteOf !== undefined) addQuote(quoteOf, tweet);
    if (tweet.createdByCall) this.created.push(tweet);
    this.index.add(tweet);
    this.ranking.add(tweet);
    return tweet;
  }

  /** The tweet stays known, so that what quotes it can say that it was deleted. */
  remove(tweet: SandboxTweet): void {
    if (tweet.deleted) return;
    tweet.deleted = true;
    this.articles.unwrap(tweet);
    const { author } = tweet;
    author.tweetCount--;
    if (tweet.media.length > 0) author.mediaCount--;
    const pinned = author.pinned.indexOf(tweet.id);
    if (pinned >= 0) author.pinned.splice(pinned, 1);
    const parent = tweet.replyTo === null ? undefined : this.#tweetsById.get(tweet.replyTo.tweetId);
    if (parent !== undefined) parent.replies--;
    const quoted = tweet.quoteOf === null ? undefined : this.#tweetsById.get(tweet.quoteOf);
    if (quoted !== undefined) quoted.quotes--;
  }

  /** The place of the first tweet whose id is not before this one. */
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

  /** Says whether it was not so before. */
  like(user: User, tweet: SandboxTweet): boolean {
    if (user.liked.has(tweet)) return false;
    user.liked.add(tweet);
    tweet.likes++;
    return true;
  }

  unlike(user: User, tweet: SandboxTweet): void {
    if (user.liked.delete(tweet)) tweet.likes--;
  }

  /** Says whether it was not so before. */
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

function addAnswer(parent: SandboxTweet, answer: SandboxTweet): void {
  parent.replies++;
  parent.answers ??= [];
  parent.answers.push(answer.position);
  if (isShownToAll(answer)) return;
  parent.shyAnswers ??= [];
  parent.shyAnswers.push(answer);
}

function addQuote(quoted: SandboxTweet, by: SandboxTweet): void {
  quoted.quotes++;
  quoted.quotedBy ??= [];
  quoted.quotedBy.push(by.position);
  if (isShownToAll(by)) return;
  quoted.shyQuotes ??= [];
  quoted.shyQuotes.push(by);
}

function isShownToAll({ author }: SandboxTweet): boolean {
  return author.state === 'active' && !author.protected;
}
