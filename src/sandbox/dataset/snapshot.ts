import { SearchIndex, type StoredPostings } from '../search/index.ts';
import { packColumns, unpackColumns } from './columns.ts';
import type { ArticleContent } from './content.ts';
import { Dataset } from './dataset.ts';
import type { NewUser } from './factories.ts';
import { Relation, type StoredItems } from './relation.ts';
import { SnapshotTweet, type TweetColumns, type TweetTable } from './snapshot-tweet.ts';
import type { AttachedMedia, SandboxTweet, User } from './types.ts';

/** The version of the snapshot format. Raise it when the format changes. */
const format = 2;

interface StoredUser {
  readonly fields: NewUser;
  /** The values of the fields listed in `counted`. */
  readonly counts: readonly number[];
  /** The positions of the pinned tweets. */
  readonly pinned: readonly number[];
}

const counted = ['followerCount', 'followingCount', 'tweetCount', 'mediaCount', 'listed'] as const;

interface About {
  readonly format: number;
  readonly seed: string;
}

interface Content {
  readonly users: readonly StoredUser[];
  /** The lists. `owner` and `members` are indexes into the list of users. */
  readonly lists: readonly { id: string; name: string; owner: number; members: readonly number[] }[];
  readonly affiliates: readonly (readonly [organization: number, members: readonly number[]])[];
  readonly langs: readonly string[];
  readonly sources: readonly (string | null)[];
  readonly media: readonly (readonly [position: number, media: readonly AttachedMedia[]])[];
  readonly articles: readonly (readonly [position: number, id: string, title: string, content: ArticleContent])[];
}

/**
 * A generated dataset in compact form. It contains no absolute times and no tweet ids, so that it can be loaded for any
 * epoch: the age of each tweet is stored instead. Chats are not included, because they are generated and encrypted when
 * they are first read.
 */
export interface Snapshot {
  /** Parses the content of the snapshot. The result is not cached, so that it does not stay in memory. */
  readonly content: () => Content;
  readonly columns: TweetColumns;
  readonly follows: {
    /**
     * The followers of all users, as indexes into the list of users. The followers of user i end at `followersEnd[i]`.
     * `following` has the same form.
     */
    readonly followers: Uint16Array;
    readonly followersEnd: Uint32Array;
    readonly following: Uint16Array;
    readonly followingEnd: Uint32Array;
  };
  readonly postings: StoredPostings;
}

/** Serializes a generated dataset. The dataset must not contain changes by calls. */
export function writeSnapshot(dataset: Dataset, seed: string, epochMs: number): Buffer {
  const { tweets } = dataset;
  const users = [...dataset.users.values()];
  const places = new Map(users.map((user, place) => [user, place]));
  const placeOf = (user: User) => places.get(user) ?? 0;
  const positionOf = (id: string | null | undefined) => (id == null ? -1 : (dataset.tweet(id)?.position ?? -1));
  const texts = tweets.map((tweet) => Buffer.from(tweet.text));
  const langs = [...new Set(tweets.map((tweet) => tweet.lang))];
  const sources = [...new Set(tweets.map((tweet) => tweet.source))];
  const numbers = (pick: (tweet: SandboxTweet) => number) => Int32Array.from(tweets, pick);
  const related = (pick: (user: User) => Iterable<User>) => users.map((user) => [...pick(user)].map(placeOf));
  const followers = related((user) => user.followers);
  const following = related((user) => user.following);
  const { keys, positions, ends } = dataset.index.store();
  const about: About = { format, seed };
  const content: Content = {
    users: users.map((user) => ({
      fields: fieldsOf(user),
      counts: counted.map((field) => user[field]),
      pinned: user.pinned.map(positionOf),
    })),
    lists: [...dataset.lists.values()].map(({ id, name, owner, members }) => ({
      id,
      name,
      owner: placeOf(owner),
      members: members.map(placeOf),
    })),
    affiliates: [...dataset.affiliates].map(([organization, members]) => [placeOf(organization), members.map(placeOf)]),
    langs,
    sources,
    media: tweets.flatMap(({ position, media }) => (media.length > 0 ? [[position, media] as const] : [])),
    articles: tweets.flatMap(({ position, article }) => {
      const written = article?.content?.();
      return article && written ? [[position, article.id, article.title, written] as const] : [];
    }),
  };
  return packColumns(about, {
    content: Buffer.from(JSON.stringify(content)),
    author: Uint16Array.from(tweets, ({ author }) => placeOf(author)),
    agoMs: Float64Array.from(tweets, ({ createdAt }) => epochMs - createdAt),
    text: Buffer.concat(texts),
    textEnd: endsOf(texts),
    lang: Uint8Array.from(tweets, ({ lang }) => langs.indexOf(lang)),
    source: Uint8Array.from(tweets, ({ source }) => sources.indexOf(source)),
    replyTo: numbers(({ replyTo }) => positionOf(replyTo?.tweetId)),
    quoteOf: numbers(({ quoteOf }) => positionOf(quoteOf)),
    deleted: Uint8Array.from(tweets, ({ deleted }) => (deleted ? 1 : 0)),
    score: numbers(({ score }) => score),
    likes: numbers(({ likes }) => likes),
    retweets: numbers(({ retweets }) => retweets),
    replies: numbers(({ replies }) => replies),
    quotes: numbers(({ quotes }) => quotes),
    bookmarks: numbers(({ bookmarks }) => bookmarks),
    views: numbers(({ views }) => views ?? -1),
    followers: Uint16Array.from(followers.flat()),
    followersEnd: endsOf(followers),
    following: Uint16Array.from(following.flat()),
    followingEnd: endsOf(following),
    keys: Buffer.from(keys.join('\n')),
    postings: positions,
    postingsEnd: ends,
  });
}

/**
 * Reads a snapshot. Returns `undefined` if it is damaged, has another format or seed, or was written on a machine with
 * the other byte order.
 */
export function readSnapshot(bytes: Buffer, seed: string): Snapshot | undefined {
  const unpacked = unpackColumns(bytes);
  const about = unpacked?.about as About | undefined;
  if (unpacked === undefined || about?.format !== format || about.seed !== seed) return undefined;
  const { column } = unpacked;
  const bytesOf = (name: string) => asBuffer(column<Uint8Array>(name));
  return {
    content: () => JSON.parse(bytesOf('content').toString()) as Content,
    columns: {
      author: column('author'),
      agoMs: column('agoMs'),
      text: column('text'),
      textEnd: column('textEnd'),
      lang: column('lang'),
      source: column('source'),
      replyTo: column('replyTo'),
      quoteOf: column('quoteOf'),
      deleted: column('deleted'),
      score: column('score'),
      likes: column('likes'),
      retweets: column('retweets'),
      replies: column('replies'),
      quotes: column('quotes'),
      bookmarks: column('bookmarks'),
      views: column('views'),
    },
    follows: {
      followers: column('followers'),
      followersEnd: column('followersEnd'),
      following: column('following'),
      followingEnd: column('followingEnd'),
    },
    postings: {
      size: column<Uint16Array>('author').length,
      keys: () => bytesOf('keys').toString().split('\n'),
      positions: column('postings'),
      ends: column('postingsEnd'),
    },
  };
}

/** Creates a dataset from a snapshot, with times relative to this epoch. Several datasets can share one snapshot. */
export function loadSnapshot({ columns, follows, postings, ...snapshot }: Snapshot, epochMs: number): Dataset {
  const content = snapshot.content();
  const dataset = new Dataset(new SearchIndex(postings));
  const users: User[] = [];
  const places = new Map<User, number>();
  for (const [place, { fields, counts }] of content.users.entries()) {
    const user = dataset.addUser(fields, {
      followers: new Relation(new StoredUsers(slice(follows.followers, follows.followersEnd, place), users, places)),
      following: new Relation(new StoredUsers(slice(follows.following, follows.followingEnd, place), users, places)),
    });
    for (const [index, field] of counted.entries()) user[field] = counts[index] ?? 0;
    users.push(user);
    places.set(user, place);
  }
  const named = (wanted: readonly number[]) => wanted.flatMap((place) => users[place] ?? []);
  for (const { owner, members, ...list } of content.lists) {
    for (const user of named([owner])) dataset.lists.set(list.id, { ...list, owner: user, members: named(members) });
  }
  for (const [organization, members] of content.affiliates) {
    for (const user of named([organization])) dataset.affiliates.set(user, named(members));
  }
  const articles = content.articles.map(
    ([position, id, title, written]) => [position, { id, title, content: () => written }] as const,
  );
  const table: TweetTable = {
    columns,
    epochMs,
    users,
    tweets: dataset.tweets,
    bytes: asBuffer(columns.text),
    langs: content.langs,
    sources: content.sources,
    media: new Map(content.media),
    articles: new Map(articles),
    userNamed: (screenName) => {
      const user = dataset.userNamed(screenName);
      return user !== undefined && places.has(user) ? user : undefined;
    },
  };
  for (let position = 0; position < columns.author.length; position++) {
    const tweet = new SnapshotTweet(table, position);
    const at = (column: Int32Array) => dataset.tweets[column[position] ?? -1];
    dataset.restoreTweet(tweet, at(columns.replyTo), at(columns.quoteOf));
  }
  for (const [place, { pinned }] of content.users.entries()) {
    for (const position of pinned) users[place]?.pinned.push(dataset.tweets[position]?.id ?? '');
  }
  return dataset;
}

class StoredUsers implements StoredItems<User> {
  readonly #chosen: Uint16Array;
  readonly #users: readonly User[];
  readonly #places: ReadonlyMap<User, number>;

  constructor(chosen: Uint16Array, users: readonly User[], places: ReadonlyMap<User, number>) {
    this.#chosen = chosen;
    this.#users = users;
    this.#places = places;
  }

  get size(): number {
    return this.#chosen.length;
  }

  at(index: number): User | undefined {
    return this.#users[this.#chosen[index] ?? -1];
  }

  has(user: User): boolean {
    const place = this.#places.get(user);
    return place !== undefined && this.#chosen.includes(place);
  }
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function slice(values: Uint16Array, ends: Uint32Array, place: number): Uint16Array {
  return values.subarray(ends[place - 1] ?? 0, ends[place]);
}

function endsOf(lists: readonly { readonly length: number }[]): Uint32Array {
  let end = 0;
  return Uint32Array.from(lists, ({ length }) => (end += length));
}

function fieldsOf(user: User): NewUser {
  const { id, screenName, name, description, location, website, createdAt, verified, premium } = user;
  const { verificationKind, avatar, banner, state, token, chatLabel, hasChatKeys, earlierFavourites } = user;
  return {
    id,
    screenName,
    name,
    description,
    location,
    website,
    createdAt,
    verified,
    premium,
    verificationKind,
    avatar,
    banner,
    state,
    token,
    chatLabel,
    hasChatKeys,
    earlierFavourites,
    protected: user.protected,
    openDms: user.openDms,
  };
}
