import { SearchIndex } from '../search/index.ts';
import { joined, termsOf } from '../search/terms.ts';
import { extractEntities } from './entities.ts';
import { compareIds } from './snowflake.ts';
import type { List, Media, Tweet, User } from './types.ts';

export type NewUser = Omit<
  User,
  | 'followers'
  | 'following'
  | 'requested'
  | 'liked'
  | 'tweets'
  | 'pinned'
  | 'tweetCount'
  | 'mediaCount'
  | 'listed'
  | 'head'
>;

export interface NewTweet {
  readonly id: string;
  readonly author: User;
  readonly text: string;
  readonly createdAt: number;
  readonly lang: string;
  readonly source: string;
  readonly replyTo: Tweet | undefined;
  readonly quoteOf: Tweet | undefined;
  readonly media: readonly Media[];
  readonly score: number;
  readonly createdByCall: boolean;
  readonly likes?: number;
  readonly retweets?: number;
  readonly bookmarks?: number;
  readonly views?: number;
}

/**
 * The state of the platform, held in memory. It keeps its own indexes and counts true and decides nothing: who may do
 * what is for the operations, and what outlives the process is for the journal.
 */
export class World {
  readonly users = new Map<string, User>();
  readonly lists = new Map<string, List>();
  /** The affiliated accounts of an organization. */
  readonly affiliates = new Map<User, readonly User[]>();
  /** In the order of ids. Nothing is ever taken out, so that a position stays what it is. */
  readonly tweets: Tweet[] = [];
  /** Best first; later ones first among equals. */
  readonly byScore: Tweet[] = [];
  readonly created: Tweet[] = [];
  readonly index = new SearchIndex();
  minted = 0;
  /** Where this world answers; pages and pictures are addressed under it. */
  origin = '';
  readonly #byName = new Map<string, User>();
  readonly #byToken = new Map<string, User>();
  readonly #tweetsById = new Map<string, Tweet>();

  userNamed = (screenName: string): User | undefined => this.#byName.get(screenName.toLowerCase());

  userByToken(token: string): User | undefined {
    return this.#byToken.get(token);
  }

  tweet(id: string): Tweet | undefined {
    return this.#tweetsById.get(id);
  }

  get lastTweetId(): string | undefined {
    return this.tweets.at(-1)?.id;
  }

  addUser(fields: NewUser): User {
    const user: User = {
      ...fields,
      followers: new Set(),
      following: new Set(),
      requested: new Set(),
      liked: new Set(),
      tweets: [],
      pinned: [],
      tweetCount: 0,
      mediaCount: 0,
      listed: 0,
      head: undefined,
    };
    this.users.set(user.id, user);
    this.#byName.set(user.screenName.toLowerCase(), user);
    if (user.token !== null) this.#byToken.set(user.token, user);
    return user;
  }

  follow(follower: User, followed: User): void {
    follower.following.add(followed);
    followed.followers.add(follower);
  }

  addList(list: List): void {
    this.lists.set(list.id, list);
    for (const member of list.members) member.listed++;
  }

  /** Takes a tweet whose id is later than every other. */
  addTweet(fields: NewTweet): Tweet {
    const last = this.lastTweetId;
    if (last !== undefined && compareIds(fields.id, last) <= 0) throw new Error(`tweet ${fields.id} is out of order`);
    const { author, replyTo, quoteOf } = fields;
    const tweet: Tweet = {
      id: fields.id,
      position: this.tweets.length,
      author,
      text: fields.text,
      lang: fields.lang,
      source: fields.source,
      createdAt: fields.createdAt,
      conversationId: replyTo?.conversationId ?? fields.id,
      replyTo: replyTo === undefined ? null : { tweetId: replyTo.id, userId: replyTo.author.id },
      quoteOf: quoteOf?.id ?? null,
      media: fields.media,
      entities: extractEntities(fields.text, this.userNamed),
      score: fields.score,
      terms: joined(termsOf(fields.text)),
      createdByCall: fields.createdByCall,
      deleted: false,
      likes: fields.likes ?? 0,
      retweets: fields.retweets ?? 0,
      replies: 0,
      quotes: 0,
      bookmarks: fields.bookmarks ?? 0,
      views: fields.views ?? 0,
      head: undefined,
    };
    this.tweets.push(tweet);
    this.#tweetsById.set(tweet.id, tweet);
    author.tweets.push(tweet.position);
    author.tweetCount++;
    if (tweet.media.length > 0) author.mediaCount++;
    if (replyTo !== undefined) replyTo.replies++;
    if (quoteOf !== undefined) quoteOf.quotes++;
    if (tweet.createdByCall) this.created.push(tweet);
    this.index.add(tweet);
    this.byScore.splice(this.rankOf(tweet.score, tweet.id), 0, tweet);
    return tweet;
  }

  /** The tweet stays known, so that what quotes it can say that it was deleted. */
  remove(tweet: Tweet): void {
    if (tweet.deleted) return;
    tweet.deleted = true;
    tweet.author.tweetCount--;
    if (tweet.media.length > 0) tweet.author.mediaCount--;
    const parent = tweet.replyTo === null ? undefined : this.#tweetsById.get(tweet.replyTo.tweetId);
    if (parent !== undefined) parent.replies--;
    const quoted = tweet.quoteOf === null ? undefined : this.#tweetsById.get(tweet.quoteOf);
    if (quoted !== undefined) quoted.quotes--;
  }

  /** How many stand before a tweet of this score and id. */
  rankOf(score: number, id: string): number {
    let low = 0;
    let high = this.byScore.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.byScore[middle];
      if (other !== undefined && compareRank(other, { score, id }) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
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

  /** Says whether anything changed. */
  like(user: User, tweet: Tweet): boolean {
    if (user.liked.has(tweet)) return false;
    user.liked.add(tweet);
    tweet.likes++;
    return true;
  }

  unlike(user: User, tweet: Tweet): boolean {
    if (!user.liked.delete(tweet)) return false;
    tweet.likes--;
    return true;
  }
}

type Ranked = Pick<Tweet, 'score' | 'id'>;

export function compareRank(a: Ranked, b: Ranked): number {
  return b.score - a.score || compareIds(b.id, a.id);
}
