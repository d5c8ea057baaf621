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
  /** Suspended and deleted users follow nobody and have no followers. */
  readonly followers: Relation<User>;
  readonly following: Relation<User>;
  /** The protected users to whom this user sent a follow request that is pending. */
  readonly requested: Set<User>;
  readonly blocked: Set<User>;
  /** The users who block this user. */
  readonly blockedBy: Set<User>;
  readonly muted: Set<User>;
  readonly liked: Relation<SandboxTweet>;
  /** The reposts of the user. Their ids ascend in the order of the map. */
  readonly retweeted: Map<SandboxTweet, Repost>;
  readonly bookmarked: Relation<SandboxTweet>;
  /** The user's own tweets, oldest first, with deleted ones. */
  readonly tweets: SandboxTweet[];
  /** The tweets that mention the user, oldest first, with deleted ones. */
  readonly mentions: SandboxTweet[];
  /** The lists that have the user as a member. */
  readonly memberships: List[];
  readonly pinned: string[];
  /** The number of tweets and of retweets of other users' tweets, as in the user's timeline. */
  tweetCount: number;
  mediaCount: number;
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
  readonly replyTo: SandboxTweet | null;
  readonly quoteOf: SandboxTweet | null;
  readonly article: ArticleReference | null;
  readonly media: readonly AttachedMedia[];
  readonly entities: TweetEntities;
  /** The order of top search results. The score never changes, so that pages do not repeat or skip tweets. */
  readonly score: number;
  readonly createdByCall: boolean;
  readonly likers: Relation<User>;
  readonly retweeters: Relation<User>;
  /** The direct replies that are not deleted. */
  readonly replies: Relation<SandboxTweet>;
  /** The tweets that quote this tweet and are not deleted. */
  readonly quotes: Relation<SandboxTweet>;
  readonly views: number | null;
  bookmarks: number;
  deleted: boolean;
}

/** A repost. Its id differs from the ids of all tweets. */
export interface Repost {
  readonly id: string;
  readonly author: User;
  readonly of: SandboxTweet;
}

export interface List {
  readonly id: string;
  readonly name: string;
  readonly owner: User;
  readonly members: readonly User[];
}
