import type { ArticleReference } from './articles.ts';
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
  /** A path below the base URL of the sandbox. */
  readonly avatar: string | null;
  readonly banner: string | null;
  readonly protected: boolean;
  readonly openDms: boolean;
  readonly state: UserState;
  readonly token: string | null;
  /** The label from which the encryption code and chat keys derive. Null: the user has neither. */
  readonly chatLabel: string | null;
  /** True if the user has chat keys from the start. False if the user must enroll first. */
  readonly hasChatKeys: boolean;
  readonly followers: Relation<User>;
  readonly following: Relation<User>;
  /** The number of followers who are active. Suspended and deleted accounts appear in no list and are not counted. */
  followerCount: number;
  followingCount: number;
  /** The protected users to whom this user sent a follow request that is pending. */
  readonly requested: Set<User>;
  readonly liked: Set<SandboxTweet>;
  /**
   * Maps each retweeted tweet to the position of the retweet in the user's timeline. Positions are ids like those of
   * tweets. They ascend in the order of the map.
   */
  readonly retweeted: Map<SandboxTweet, string>;
  readonly bookmarked: Relation<SandboxTweet>;
  /** The number of likes that are not recorded one by one, because they are older than the recorded history. */
  readonly earlierFavourites: number;
  /** Positions of the user's own tweets in the dataset, ascending. */
  readonly tweets: number[];
  /** Positions of the user's own tweets that publish an article, ascending. */
  readonly articles: number[];
  readonly pinned: string[];
  tweetCount: number;
  mediaCount: number;
  listed: number;
  /** JSON text of the fields that do not change. Built on first use. */
  head: string | undefined;
}

export interface AttachedMedia {
  readonly kind: 'photo' | 'video' | 'animated_gif';
  /** A path below the base URL of the sandbox. */
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
  /** Timestamps in the text that refer to a time of the tweet's video, such as `1:05`. */
  readonly timestamps: readonly { text: string; indices: Indices }[];
  readonly urls: readonly { url: string; expanded_url: string; display_url: string; indices: Indices }[];
  readonly mentions: readonly { user: User; indices: Indices }[];
}

export interface SandboxTweet {
  readonly id: string;
  /** The index of the tweet in the dataset. Indices have the same order as ids. */
  readonly position: number;
  readonly author: User;
  readonly text: string;
  readonly lang: string;
  readonly source: string | null;
  readonly createdAt: number;
  readonly conversationId: string;
  readonly replyTo: { readonly tweetId: string; readonly userId: string } | null;
  readonly quoteOf: string | null;
  readonly article: ArticleReference | null;
  readonly media: readonly AttachedMedia[];
  readonly entities: TweetEntities;
  /** The order of top search results. The score never changes, so that pages do not repeat or skip tweets. */
  readonly score: number;
  /** The normalized words of the text, each with one space on both sides. */
  readonly terms: string;
  readonly createdByCall: boolean;
  deleted: boolean;
  likes: number;
  retweets: number;
  /** The users whose retweets are recorded one by one. Undefined if there are none. */
  retweeters: Relation<User> | undefined;
  replies: number;
  /**
   * Positions of the direct replies, ascending. Undefined for most tweets, which saves the memory of an empty array.
   */
  replyPositions: number[] | undefined;
  /** The replies that not everybody may see. The reply count is reduced by those that are hidden from the viewer. */
  restrictedReplies: SandboxTweet[] | undefined;
  quotes: number;
  /** Positions of the tweets that quote this tweet, ascending. */
  quotePositions: number[] | undefined;
  /** The quoting tweets that not everybody may see. */
  restrictedQuotes: SandboxTweet[] | undefined;
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
