import type { FieldMap, ObjectRef } from '@pothos/core';
import type { ArticleSummary } from '../../../shared/model/article.ts';
import type { Tweet } from '../../../shared/model/tweet.ts';
import type { Author, UserCard, UserProfile } from '../../../shared/model/user.ts';
import { builder } from './builder.ts';

type Types = typeof builder.$inferSchemaTypes;

/** A tweet. `quoted_tweet` is undefined if the tweet is itself a quoted tweet, because the platform does not send the next level. */
export type TweetSource = Omit<Tweet, 'quoted_tweet'> & { quoted_tweet: Tweet['quoted_tweet'] | undefined };

/** An article. Articles of a list have no `content`. */
export type ArticleSource = ArticleSummary & { content?: string };

type EveryField = Author & UserCard & UserProfile;

/** A user as one response of the platform describes it. Fields that only some responses contain are optional. */
export type UserSource = (Author | UserCard | UserProfile) &
  Partial<Omit<EveryField, keyof Author & keyof UserCard & keyof UserProfile>>;

/** Object types that refer to each other. The fields of each type are declared in a file of their own. */
export const TweetRef = builder.objectRef<TweetSource>('Tweet');
export const UserRef = builder.objectRef<UserSource>('User');
export const ArticleRef = builder.objectRef<ArticleSource>('Article');
export const ListRef = builder.objectRef<{ listId: string }>('List');

/** Declares an object type with a global id. Resolves the id without the promises of Pothos' `builder.node`, because lists have many ids. */
export function nodeType<Source>(
  ref: ObjectRef<Types, Source>,
  {
    description,
    id,
    fields,
  }: {
    description: string;
    id: (source: Source) => string;
    fields: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, Source>) => FieldMap;
  },
): void {
  builder.objectType(ref, {
    description,
    interfaces: [builder.nodeInterfaceRef()],
    fields: (t) => ({
      id: t.id({
        description: 'Global id, for `node`. It is opaque.',
        resolve: (source: Source) => Buffer.from(`${ref.name}:${id(source)}`).toString('base64') as never,
      }),
      ...fields(t),
    }),
  });
}

/** Creates the connection type and the edge type of a list, as the Relay specification defines them. */
export function connectionOf<Source>(name: string, type: ObjectRef<Types, Source>) {
  return builder.connectionObject(
    { type, name: `${name}Connection`, description: `A page of a list of \`${name}\`.` },
    { name: `${name}Edge`, description: `An item of a list of \`${name}\`, with its cursor.` },
  );
}

export const TweetConnection = connectionOf('Tweet', TweetRef);
export const UserConnection = connectionOf('User', UserRef);
export const ArticleConnection = connectionOf('Article', ArticleRef);
