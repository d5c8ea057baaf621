import { joinTerms, termsOf } from '../search/terms.ts';
import type { ArticleReference } from './articles.ts';
import { extractEntities } from './entities.ts';
import { Relation } from './relation.ts';
import type { AttachedMedia, SandboxTweet, User } from './types.ts';

type MaintainedFields =
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

/** The initial fields of a user. The dataset maintains the other fields. */
export type NewUser = Omit<User, MaintainedFields>;

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
  /** The article that this tweet publishes. */
  readonly article?: ArticleReference;
  readonly likes?: number;
  readonly retweets?: number;
  readonly bookmarks?: number;
  readonly views?: number | null;
}

export function makeUser(fields: NewUser, follows?: Pick<User, 'followers' | 'following'>): User {
  // The properties are written out because spreading `fields` and adding this many properties takes 14 KB and 40 µs per
  // user.
  return {
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
    earlierFavourites: fields.earlierFavourites,
    followers: follows?.followers ?? new Relation(),
    following: follows?.following ?? new Relation(),
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
    terms: joinTerms(termsOf(fields.text)),
    createdByCall: fields.createdByCall,
    deleted: false,
    likes: fields.likes ?? 0,
    retweets: fields.retweets ?? 0,
    retweeters: undefined,
    replies: 0,
    replyPositions: undefined,
    restrictedReplies: undefined,
    quotes: 0,
    quotePositions: undefined,
    restrictedQuotes: undefined,
    bookmarks: fields.bookmarks ?? 0,
    views: fields.views === undefined ? 0 : fields.views,
    head: undefined,
  };
}

/** The length of the longest video in milliseconds, or 0. */
export function longestVideo(media: readonly AttachedMedia[]): number {
  return Math.max(0, ...media.map(({ kind, durationMs }) => (kind === 'video' ? (durationMs ?? 0) : 0)));
}
