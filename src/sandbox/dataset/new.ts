import { joined, termsOf } from '../search/terms.ts';
import type { Wrapped } from './articles.ts';
import { extractEntities } from './entities.ts';
import { Relation } from './relation.ts';
import type { AttachedMedia, SandboxTweet, User } from './types.ts';

type Grown =
  | 'followers'
  | 'following'
  | 'followerCount'
  | 'followingCount'
  | 'requested'
  | 'liked'
  | 'retweeted'
  | 'bookmarked'
  | 'tweets'
  | 'articles'
  | 'pinned'
  | 'tweetCount'
  | 'mediaCount'
  | 'listed'
  | 'head';

/** What a user begins with; the dataset grows the rest. */
export type NewUser = Omit<User, Grown>;

export interface TweetDraft {
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
  /** Of the wrapper tweet of a published article. */
  readonly article?: Wrapped;
  readonly likes?: number;
  readonly retweets?: number;
  readonly bookmarks?: number;
  readonly views?: number | null;
}

export function makeUser(fields: NewUser): User {
  return {
    ...fields,
    followers: new Relation(),
    following: new Relation(),
    followerCount: 0,
    followingCount: 0,
    requested: new Set(),
    liked: new Set(),
    retweeted: new Map(),
    bookmarked: new Relation(),
    tweets: [],
    articles: [],
    pinned: [],
    tweetCount: 0,
    mediaCount: 0,
    listed: 0,
    head: undefined,
  };
}

export function makeTweet(
  fields: TweetDraft,
  position: number,
  userNamed: (screenName: string) => User | undefined,
): SandboxTweet {
  const { replyTo, quoteOf } = fields;
  return {
    id: fields.id,
    position,
    author: fields.author,
    text: fields.text,
    lang: fields.lang,
    source: fields.source,
    createdAt: fields.createdAt,
    conversationId: replyTo?.conversationId ?? fields.id,
    replyTo: replyTo === undefined ? null : { tweetId: replyTo.id, userId: replyTo.author.id },
    quoteOf: quoteOf?.id ?? null,
    article: fields.article ?? null,
    media: fields.media,
    entities: extractEntities(fields.text, userNamed, longestVideo(fields.media)),
    score: fields.score,
    terms: joined(termsOf(fields.text)),
    createdByCall: fields.createdByCall,
    deleted: false,
    likes: fields.likes ?? 0,
    retweets: fields.retweets ?? 0,
    retweeters: undefined,
    replies: 0,
    answers: undefined,
    shyAnswers: undefined,
    quotes: 0,
    quotedBy: undefined,
    shyQuotes: undefined,
    bookmarks: fields.bookmarks ?? 0,
    views: fields.views === undefined ? 0 : fields.views,
    head: undefined,
  };
}

function longestVideo(media: readonly AttachedMedia[]): number {
  return Math.max(0, ...media.map(({ kind, durationMs }) => (kind === 'video' ? (durationMs ?? 0) : 0)));
}
