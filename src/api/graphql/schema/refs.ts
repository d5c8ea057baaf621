import type { ArticleSummary } from '../../../shared/model/article.ts';
import type { Tweet } from '../../../shared/model/tweet.ts';
import { builder } from './builder.ts';
import type { UserSource } from './user-source.ts';

/** A tweet of a page; or the one inside another, of which is not told what it quotes itself. */
export type TweetSource = Omit<Tweet, 'quoted_tweet'> & { quoted_tweet: Tweet['quoted_tweet'] | undefined };

/** The object types that refer to each other; each has a file with its fields. */
export const TweetRef = builder.objectRef<TweetSource>('Tweet');
export const UserRef = builder.objectRef<UserSource>('User');
/** Of a list: without what it says. */
export type ArticleSource = ArticleSummary & { content?: string };

export const ArticleRef = builder.objectRef<ArticleSource>('Article');
export const ListRef = builder.objectRef<{ listId: string }>('List');

const tweetEdge = { name: 'TweetEdge', description: 'A tweet of a list, with its cursor.' };
export const TweetConnection = builder.connectionObject(
  { type: TweetRef, name: 'TweetConnection', description: 'A page of tweets.' },
  tweetEdge,
);

const userEdge = { name: 'UserEdge', description: 'A user of a list, with its cursor.' };
export const UserConnection = builder.connectionObject(
  { type: UserRef, name: 'UserConnection', description: 'A page of users.' },
  userEdge,
);

export const ArticleConnection = builder.connectionObject(
  { type: ArticleRef, name: 'ArticleConnection', description: 'A page of articles.' },
  { name: 'ArticleEdge', description: 'An article of a list, with its cursor.' },
);
