import { Chats } from '../chat/chats.ts';
import { Grants } from '../oauth/grants.ts';
import { ActivityLog } from './activity.ts';
import { type ArticleReference, Articles } from './articles.ts';
import { extractEntities } from './entities.ts';
import { HomeFeeds } from './home.ts';
import { Relation } from './relation.ts';
import { compareIds, nextSnowflake } from './snowflake.ts';
import { lowerBound } from './timelines.ts';
import type { AttachedMedia, List, Repost, SandboxTweet, User } from './types.ts';
import { Uploads } from './uploads.ts';
import { isPublic } from './visibility.ts';

type MaintainedFields =
  | 'followers'
  | 'following'
  | 'requested'
  | 'blocked'
  | 'blockedBy'
  | 'muted'
  | 'liked'
  | 'retweeted'
  | 'bookmarked'
  | 'tweets'
  | 'mentions'
  | 'memberships'
  | 'pinned'
  | 'tweetCount'
  | 'mediaCount';

/** The initial fields of a user. The dataset maintains the other fields. */
export type NewUser = Omit<User, MaintainedFields>;

export interface NewTweet {
  readonly id: string;
  readonly author: User;
  readonly text: string;
  readonly createdAt: number;
  readonly lang: string;
  readonly source: string | null;
  readonly replyTo: SandboxTweet | undefined;
  readonly quoteOf: SandboxTweet | undefined;
  readonly media: readonly AttachedMedia[];
  readonly score: number;
  readonly createdByCall: boolean;
  /** The article that this tweet publishes. */
  readonly article?: ArticleReference;
  readonly views?: number | null;
}

/** A bit of the ids of reposts. Tweets of the same millisecond are numbered from 0, so their ids do not have it. */
const REPOST_BIT = 1 << 21;

const isHidden = (user: User) => !isPublic(user);
const isOfHidden = ({ author }: SandboxTweet) => !isPublic(author);

/**
 * The state of the simulated platform, in memory. The dataset maintains its own relations and counts. It checks no
 * permissions, which is the task of the operations, and it writes nothing to disk, which is the task of the journal.
 */
export class Dataset {
  readonly users = new Map<string, User>();
  readonly lists = new Map<string, List>();
  /** The affiliated accounts of an organization, in the order in which they joined. */
  readonly affiliates = new Map<User, readonly User[]>();
  /** Ordered by id. Tweets are never removed, so that the position of a tweet does not change. */
  readonly tweets: SandboxTweet[] = [];
  readonly created: SandboxTweet[] = [];
  /** Ordered by id. */
  readonly reposts = new Map<string, Repost>();
  readonly feeds = new HomeFeeds();
  readonly activity = new ActivityLog();
  readonly chats = new Chats();
  readonly uploads = new Uploads();
  readonly articles = new Articles();
  readonly oauth = new Grants();
  /** The number of accounts with credentials that control calls created. */
  minted = 0;
  /** The number of followers without credentials that control calls created. */
  addedFollowers = 0;
  /** The base URL of the sandbox. Links to pages and pictures start with it. */
  origin = '';
  #lastRetweet: string | undefined;
  readonly #byName = new Map<string, User>();
  readonly #byToken = new Map<string, User>();

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

  addUser(fields: NewUser): User {
    // The properties are written out, because an object that is made by spreading takes several times the memory.
    const user: User = {
      id: fields.id,
      screenName: fields.screenName,
      name: fields.name,
      description: fields.description,
      location: fields.location,
      website: fields.website,
      createdAt: fields.createdAt,
      verified: fields.verified,
      premium: fields.premium,
      verificationKind: fields.verificationKind,
      avatar: fields.avatar,
      banner: fields.banner,
      protected: fields.protected,
      openDms: fields.openDms,
      state: fields.state,
      token: fields.token,
      chatLabel: fields.chatLabel,
      hasChatKeys: fields.hasChatKeys,
      followers: new Relation(),
      following: new Relation(),
      requested: new Set(),
      blocked: new Set(),
      blockedBy: new Set(),
      muted: new Set(),
      liked: new Relation(isOfHidden),
      retweeted: new Map(),
      bookmarked: new Relation(),
      tweets: [],
      mentions: [],
      memberships: [],
      pinned: [],
      tweetCount: 0,
      mediaCount: 0,
    };
    this.users.set(user.id, user);
    this.#byName.set(user.screenName.toLowerCase(), user);
    if (user.token !== null) this.#byToken.set(user.token, user);
    return user;
  }

  /** Adds a follow and removes a pending follow request. Returns false if the user already followed. */
  follow(follower: User, followed: User): boolean {
    follower.requested.delete(followed);
    followed.followers.add(follower);
    return follower.following.add(followed);
  }

  /** Removes a follow and a pending follow request. */
  unfollow(follower: User, followed: User): void {
    follower.requested.delete(followed);
    follower.following.delete(followed);
    followed.followers.delete(follower);
  }

  /** Adds a block and removes the follows and follow requests of both users. */
  block(user: User, blocked: User): void {
    user.blocked.add(blocked);
    blocked.blockedBy.add(user);
    this.unfollow(user, blocked);
    this.unfollow(blocked, user);
  }

  unblock(user: User, blocked: User): void {
    user.blocked.delete(blocked);
    blocked.blockedBy.delete(user);
  }

  addList(list: List): void {
    this.lists.set(list.id, list);
    for (const member of list.members) member.memberships.push(list);
  }

  /** Adds a tweet. Throws if its id is not above the ids of all other tweets. */
  addTweet({ id, author, text, createdAt, replyTo, quoteOf, media, article, ...more }: NewTweet): SandboxTweet {
    const last = this.lastTweetId;
    if (last !== undefined && compareIds(id, last) <= 0) throw new Error(`tweet ${id} is out of order`);
    const videoMs = Math.max(0, ...media.map(({ kind, durationMs }) => (kind === 'video' ? (durationMs ?? 0) : 0)));
    const tweet: SandboxTweet = {
      id,
      position: this.tweets.length,
      author,
      text,
      lang: more.lang,
      source: more.source,
      createdAt,
      conversationId: replyTo?.conversationId ?? id,
      replyTo: replyTo ?? null,
      quoteOf: quoteOf ?? null,
      article: article ?? null,
      media,
      score: more.score,
      createdByCall: more.createdByCall,
      entities: extractEntities(text, this.userNamed, videoMs),
      views: more.views === undefined ? 0 : more.views,
      likers: new Relation(isHidden),
      retweeters: new Relation(isHidden),
      replies: new Relation(isOfHidden),
      quotes: new Relation(isOfHidden),
      bookmarks: 0,
      deleted: false,
    };
    this.tweets.push(tweet);
    author.tweets.push(tweet);
    author.tweetCount++;
    if (media.length > 0) author.mediaCount++;
    for (const user of new Set(tweet.entities.mentions.map((mention) => mention.user))) user.mentions.push(tweet);
    replyTo?.replies.add(tweet);
    quoteOf?.quotes.add(tweet);
    if (article !== undefined) this.articles.publish(tweet, article);
    if (tweet.createdByCall) this.created.push(tweet);
    return tweet;
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
    tweet.replyTo?.replies.delete(tweet);
    tweet.quoteOf?.quotes.delete(tweet);
    for (const user of [...tweet.likers]) this.unlike(user, tweet);
    for (const user of [...tweet.retweeters]) this.unretweet(user, tweet);
  }

  /** Returns the position of the first tweet whose id is `id` or higher. */
  positionOf(id: string): number {
    return lowerBound(this.tweets, id);
  }

  /** Returns false if the user already liked the tweet. */
  like(user: User, tweet: SandboxTweet): boolean {
    tweet.likers.add(user);
    return user.liked.add(tweet);
  }

  unlike(user: User, tweet: SandboxTweet): void {
    user.liked.delete(tweet);
    tweet.likers.delete(user);
  }

  /** Returns false if the user already retweeted the tweet. */
  retweet(user: User, tweet: SandboxTweet, at: number): boolean {
    if (!tweet.retweeters.add(user)) return false;
    this.#lastRetweet = nextSnowflake(at, this.#lastRetweet, REPOST_BIT);
    const repost = { id: this.#lastRetweet, author: user, of: tweet };
    user.retweeted.set(tweet, repost);
    this.reposts.set(repost.id, repost);
    if (tweet.author !== user) user.tweetCount++;
    return true;
  }

  unretweet(user: User, tweet: SandboxTweet): void {
    if (!tweet.retweeters.delete(user)) return;
    this.reposts.delete(user.retweeted.get(tweet)?.id ?? '');
    user.retweeted.delete(tweet);
    if (tweet.author !== user) user.tweetCount--;
  }

  bookmark(user: User, tweet: SandboxTweet): void {
    if (user.bookmarked.add(tweet)) tweet.bookmarks++;
  }

  unbookmark(user: User, tweet: SandboxTweet): void {
    if (user.bookmarked.delete(tweet)) tweet.bookmarks--;
  }
}
