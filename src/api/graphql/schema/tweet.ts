import type { OutputOf } from '../../../actions/action.ts';
import { uploadMedia } from '../../../actions/media/upload.ts';
import { createTweet } from '../../../actions/tweet/create.ts';
import { tweetDetail } from '../../../actions/tweet/lookup.ts';
import {
  bookmark,
  deleteTweet,
  favorite,
  retweet,
  unbookmark,
  unlike,
  unretweet,
} from '../../../actions/tweet/tweet-interaction.ts';
import { tweetLikers, tweetQuotes, tweetReplies, tweetRetweeters } from '../../../actions/tweet/tweet-lists.ts';
import { entities, link, mention, tag } from '../../../shared/model/entities.ts';
import { media } from '../../../shared/model/media.ts';
import { type Tweet, tweet } from '../../../shared/model/tweet.ts';
import { costs, type Needs } from '../document/cost.ts';
import type { Session } from '../execute/session.ts';
import { listCall, oneCall } from './bind.ts';
import { mutation } from './mutation.ts';
import { nodeType, TweetConnection, TweetRef, type TweetSource, UserConnection, UserRef } from './refs.ts';
import { fieldsOf, objectOf, schemaDescription } from './zod-types.ts';

objectOf('Media', media);
objectOf('Tag', tag);
objectOf('Link', link);
objectOf('Mention', mention, { names: { id: 'userId' }, options: { name: costs({ needs: 'mentionNames' }) } });
objectOf('Entities', entities);

/** Creates a tweet of which only the id and the fields in `rest` are known. */
function tweetOfId(id: string, rest: Partial<TweetSource> = {}): TweetSource {
  return { id, ...rest } as TweetSource;
}

interface AtHand<Parent> {
  needs?: keyof Needs;
  about?: string;
  known?: readonly string[];
  source?: (parent: Parent) => TweetSource;
}

/** Declares a field that returns the tweet with a given id. The field costs a call, unless only `known` subfields are selected. */
export function tweetByIdField<Parent>(
  id: (parent: Parent) => string | null,
  { about = 'The tweet.', known = ['id', 'tweetId'], source, needs }: AtHand<Parent> = {},
) {
  const ofId = (parent: Parent) => {
    const tweetId = id(parent);
    return tweetId === null ? null : tweetOfId(tweetId);
  };
  return oneCall({
    action: tweetDetail,
    input: (parent: Parent) => ({ tweet_id: id(parent) }),
    about,
    read: (found): TweetSource => found,
    view: 'tweet',
    ...(needs && { needs }),
    atHand: { known, source: source ?? ofId },
  });
}

const inReferences = costs({ needs: 'quoted' });

const ofTweet = {
  items: 'tweets',
  input: ({ id }: TweetSource) => ({ tweet_id: id }),
  view: 'tweet',
} as const;

nodeType(TweetRef, {
  description: schemaDescription(tweet),
  id: ({ id }) => id,
  fields: (t) => ({
    ...fieldsOf(t, tweet, {
      omit: ['type', 'author', 'quoted_tweet'],
      names: { id: 'tweetId' },
      options: {
        text: costs({ bytes: 300 }),
        media: costs({ needs: 'media' }),
        isReply: inReferences,
        inReplyToId: inReferences,
        inReplyToUserId: inReferences,
        quoted_tweet_id: inReferences,
      },
    }),
    author: t.field({
      type: UserRef,
      nullable: true,
      description: 'The author. Fields that the tweet contains are free; other fields cost a call.',
      ...costs({ view: 'author', needs: 'author' }),
      resolve: ({ author }) => author,
    }),
    quotedTweet: t.field({
      type: TweetRef,
      nullable: true,
      description:
        'The quoted tweet. Null if there is none or if it is not visible. It is free, but its own `quotedTweet` costs a call.',
      ...costs({ action: tweetDetail, carriedBy: ['tweet'], view: 'quoted', needs: 'quoted' }),
      resolve: quotedTweet,
    }),
    inReplyTo: t.field({
      type: TweetRef,
      ...tweetByIdField(({ inReplyToId }: TweetSource) => inReplyToId, {
        about: 'The tweet to which this tweet is a reply.',
        needs: 'quoted',
      }),
    }),
    replies: t.field({ type: TweetConnection, ...listCall({ action: tweetReplies, ...ofTweet }) }),
    quotes: t.field({ type: TweetConnection, ...listCall({ action: tweetQuotes, ...ofTweet }) }),
    retweeters: t.field({
      type: UserConnection,
      ...listCall({ action: tweetRetweeters, items: 'users', input: ofTweet.input, view: 'card' }),
    }),
    likers: t.field({
      type: UserConnection,
      ...listCall({ action: tweetLikers, items: 'users', input: ofTweet.input, view: 'card' }),
    }),
  }),
});

function quotedTweet(source: TweetSource, _args: unknown, session: Session) {
  const quotedBy = ({ quoted_tweet: quoted }: Pick<TweetSource, 'quoted_tweet'>) =>
    quoted ? { ...quoted, quoted_tweet: undefined } : null;
  if (source.quoted_tweet !== undefined) return quotedBy(source);
  return session.read<Tweet>(tweetDetail, { tweet_id: source.id }).then(quotedBy);
}

/** The UTF-8 size of a tweet of the maximum length, 25,000 characters. */
const longestTweet = 75_000;

mutation('createTweet', createTweet, {
  payload: {
    options: { text: costs({ bytes: longestTweet }) },
    fields: (t) => ({
      tweet: t.field({
        type: TweetRef,
        ...tweetByIdField(({ id }: OutputOf<typeof createTweet>) => id, {
          known: ['id', 'tweetId', 'text', 'createdAt'],
          source: ({ id, text, createdAt }) => tweetOfId(id, { text, createdAt }),
        }),
      }),
    }),
  },
});

for (const [field, action] of [
  ['deleteTweet', deleteTweet],
  ['likeTweet', favorite],
  ['unlikeTweet', unlike],
  ['bookmarkTweet', bookmark],
  ['unbookmarkTweet', unbookmark],
  ['retweet', retweet],
  ['unretweet', unretweet],
] as const) {
  mutation(field, action, {
    payload: {
      fields: (t) => ({
        tweet: t.field({
          type: TweetRef,
          ...tweetByIdField(({ tweetId }: Record<string, unknown>) => String(tweetId)),
        }),
      }),
    },
  });
}

mutation('uploadMedia', uploadMedia, { input: { files: { media_data: 'file' } } });
