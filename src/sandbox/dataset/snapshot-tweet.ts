import { joinTerms, termsOf } from '../search/terms.ts';
import type { ArticleReference } from './articles.ts';
import { extractEntities } from './entities.ts';
import { longestVideo } from './factories.ts';
import type { Relation } from './relation.ts';
import { snowflake } from './snowflake.ts';
import type { AttachedMedia, SandboxTweet, TweetEntities, User } from './types.ts';

/**
 * The number of different ids per millisecond. The low part of an id is the position of the tweet modulo this number.
 */
export const idsOfMoment = 4096;

/** The columns of a snapshot, with one value for each tweet. */
export interface TweetColumns {
  /** The index of each tweet's author in the list of users. */
  readonly author: Uint16Array;
  readonly agoMs: Float64Array;
  /** All texts in UTF-8, one after the other. The text of tweet i ends at `textEnd[i]`. */
  readonly text: Uint8Array;
  readonly textEnd: Uint32Array;
  /** Indexes into `TweetTable.langs`. `source` has indexes into `TweetTable.sources`. */
  readonly lang: Uint8Array;
  readonly source: Uint8Array;
  /** The position of the tweet that each tweet replies to, or -1. `quoteOf` has the same form. */
  readonly replyTo: Int32Array;
  readonly quoteOf: Int32Array;
  readonly deleted: Uint8Array;
  readonly score: Int32Array;
  readonly likes: Int32Array;
  readonly retweets: Int32Array;
  readonly replies: Int32Array;
  readonly quotes: Int32Array;
  readonly bookmarks: Int32Array;
  /** The number of views, or -1 if it is unknown. */
  readonly views: Int32Array;
}

/** The data that the tweets of a loaded snapshot share. */
export interface TweetTable {
  readonly columns: TweetColumns;
  readonly bytes: Buffer;
  readonly langs: readonly string[];
  readonly sources: readonly (string | null)[];
  readonly epochMs: number;
  readonly users: readonly User[];
  readonly tweets: readonly SandboxTweet[];
  readonly media: ReadonlyMap<number, readonly AttachedMedia[]>;
  readonly articles: ReadonlyMap<number, ArticleReference>;
  /** Finds a user of the snapshot by screen name. Accounts that were created later are not found. */
  readonly userNamed: (screenName: string) => User | undefined;
}

const noMedia: readonly AttachedMedia[] = [];

/**
 * A tweet of a snapshot. The object holds only the fields that can change. The other fields are read from the columns
 * on access, because 20,000 tweets as plain objects take 90 MB.
 */
export class SnapshotTweet implements SandboxTweet {
  readonly position: number;
  deleted: boolean;
  likes: number;
  retweets: number;
  retweeters: Relation<User> | undefined = undefined;
  replies: number;
  replyPositions: number[] | undefined = undefined;
  restrictedReplies: SandboxTweet[] | undefined = undefined;
  quotes: number;
  quotePositions: number[] | undefined = undefined;
  restrictedQuotes: SandboxTweet[] | undefined = undefined;
  bookmarks: number;
  head: string | undefined = undefined;
  readonly #table: TweetTable;
  #id: string | undefined = undefined;
  #terms: string | undefined = undefined;
  #entities: TweetEntities | undefined = undefined;

  constructor(table: TweetTable, position: number) {
    const { columns } = table;
    this.#table = table;
    this.position = position;
    this.deleted = columns.deleted[position] === 1;
    this.likes = columns.likes[position] ?? 0;
    this.retweets = columns.retweets[position] ?? 0;
    this.replies = columns.replies[position] ?? 0;
    this.quotes = columns.quotes[position] ?? 0;
    this.bookmarks = columns.bookmarks[position] ?? 0;
  }

  /** The id derives from the time of the tweet, which is relative to the epoch. */
  get id(): string {
    this.#id ??= snowflake(this.createdAt, this.position % idsOfMoment);
    return this.#id;
  }

  get author(): User {
    return this.#table.users[this.#table.columns.author[this.position] ?? 0] as User;
  }

  get text(): string {
    const { columns, bytes } = this.#table;
    return bytes.toString('utf8', columns.textEnd[this.position - 1] ?? 0, columns.textEnd[this.position]);
  }

  get lang(): string {
    return this.#table.langs[this.#table.columns.lang[this.position] ?? 0] ?? '';
  }

  get source(): string | null {
    return this.#table.sources[this.#table.columns.source[this.position] ?? 0] ?? null;
  }

  get createdAt(): number {
    return this.#table.epochMs - (this.#table.columns.agoMs[this.position] ?? 0);
  }

  get conversationId(): string {
    return this.#parent?.conversationId ?? this.id;
  }

  get replyTo(): SandboxTweet['replyTo'] {
    const parent = this.#parent;
    return parent === undefined ? null : { tweetId: parent.id, userId: parent.author.id };
  }

  get quoteOf(): string | null {
    return this.#table.tweets[this.#table.columns.quoteOf[this.position] ?? -1]?.id ?? null;
  }

  get article(): ArticleReference | null {
    return this.#table.articles.get(this.position) ?? null;
  }

  get media(): readonly AttachedMedia[] {
    return this.#table.media.get(this.position) ?? noMedia;
  }

  get entities(): TweetEntities {
    this.#entities ??= extractEntities(this.text, this.#table.userNamed, longestVideo(this.media));
    return this.#entities;
  }

  get score(): number {
    return this.#table.columns.score[this.position] ?? 0;
  }

  get terms(): string {
    this.#terms ??= joinTerms(termsOf(this.text));
    return this.#terms;
  }

  get createdByCall(): boolean {
    return false;
  }

  get views(): number | null {
    const views = this.#table.columns.views[this.position] ?? -1;
    return views === -1 ? null : views;
  }

  get #parent(): SandboxTweet | undefined {
    return this.#table.tweets[this.#table.columns.replyTo[this.position] ?? -1];
  }
}
