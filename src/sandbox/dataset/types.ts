import type { Wrapped } from './articles.ts';
import type { Relation } from './relation.ts';

export type UserState = 'active' | 'suspended' | 'deleted';

export interface User {
  readonly id: string;
  readonly screenName: string;
  readonly name: string;
  readonly description: string;
  readonly location: string | null;
  readonly website: string | null;
  readonly createdAt: number;
  readonly verified: boolean;
  readonly premium: boolean;
  readonly verificationKind: 'business' | 'government' | null;
  /** A path under the sandbox's own address. */
  readonly avatar: string | null;
  readonly banner: string | null;
  readonly protected: boolean;
  readonly openDms: boolean;
  readonly state: UserState;
  readonly token: string | null;
  /** What their code and chat keys derive from; null: they have none. */
  readonly chatLabel: string | null;
  /** From the start, rather than once they enroll. */
  readonly hasChatKeys: boolean;
  readonly followers: Relation<User>;
  readonly following: Relation<User>;
  /** Of these, how many others are shown: accounts that are suspended or gone are in no list. */
  followerCount: number;
  followingCount: number;
  /** Those who were asked for leave to follow them. */
  readonly requested: Set<User>;
  readonly liked: Set<SandboxTweet>;
  /** Each with the place of the retweet in the user's timeline: an id like those of tweets, ascending in this order. */
  readonly retweeted: Map<SandboxTweet, string>;
  readonly bookmarked: Relation<SandboxTweet>;
  /** Likes given before the part of history that the dataset knows one by one. */
  readonly earlierFavourites: number;
  /** Positions of own tweets in the dataset's order, ascending. */
  readonly tweets: number[];
  /** Those among them that wrap an article. */
  readonly articles: number[];
  readonly pinned: string[];
  tweetCount: number;
  mediaCount: number;
  listed: number;
  /** The unchanging part of the wire form, made on first use. */
  head: string | undefined;
}

export interface AttachedMedia {
  readonly kind: 'photo' | 'video' | 'animated_gif';
  /** A path under the sandbox's own address. */
  readonly path: string;
  readonly videoPath: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
}

export type Indices = readonly [start: number, end: number];

export interface TweetEntities {
  readonly hashtags: readonly { text: string; indices: Indices }[];
  readonly symbols: readonly { text: string; indices: Indices }[];
  /** Moments of a video that the tweet shows. */
  readonly timestamps: readonly { text: string; indices: Indices }[];
  readonly urls: readonly { url: string; expanded_url: string; display_url: string; indices: Indices }[];
  readonly mentions: readonly { user: User; indices: Indices }[];
}

export interface SandboxTweet {
  readonly id: string;
  /** Place in the dataset's order, which is also the order of ids. */
  readonly position: number;
  readonly author: User;
  readonly text: string;
  readonly lang: string;
  readonly source: string | null;
  readonly createdAt: number;
  readonly conversationId: string;
  readonly replyTo: { readonly tweetId: string; readonly userId: string } | null;
  readonly quoteOf: string | null;
  readonly article: Wrapped | null;
  readonly media: readonly AttachedMedia[];
  readonly entities: TweetEntities;
  /** What `top` orders by. It never changes, so that pages neither repeat nor lose a tweet. */
  readonly score: number;
  /** Normalised words between single spaces, with one at either end. */
  readonly terms: string;
  readonly createdByCall: boolean;
  deleted: boolean;
  likes: number;
  retweets: number;
  /** Those who are known to have retweeted it. */
  retweeters: Relation<User> | undefined;
  replies: number;
  /** Positions of the direct replies, ascending. Most tweets have none, hence no array of their own. */
  answers: number[] | undefined;
  /** Those replies that not everybody may see, so that the count can leave them out for whom the list does. */
  shyAnswers: SandboxTweet[] | undefined;
  quotes: number;
  /** Positions of the tweets that quote this one, ascending. */
  quotedBy: number[] | undefined;
  /** Those of them that not everybody may see. */
  shyQuotes: SandboxTweet[] | undefined;
  bookmarks: number;
  views: number | null;
  head: string | undefined;
}

export interface List {
  readonly id: string;
  readonly name: string;
  readonly owner: User;
  readonly members: readonly User[];
}
