import { tweetDetail } from '../../../actions/tweet/detail.ts';
import { tweetQuotes } from '../../../actions/tweet/quotes.ts';
import { tweetReplies } from '../../../actions/tweet/replies.ts';
import { tweetRetweeters } from '../../../actions/tweet/retweeters.ts';
import type { Entities } from '../../../shared/model/entities.ts';
import type { Media } from '../../../shared/model/media.ts';
import type { Tweet } from '../../../shared/model/tweet.ts';
import type { UserCard } from '../../../shared/model/user-card.ts';
import { costs } from '../cost.ts';
import type { Session } from '../session.ts';
import { listCall, oneCall, pageArgs } from './bind.ts';
import { builder } from './builder.ts';
import { TweetConnection, TweetRef, type TweetSource, UserConnection, UserRef } from './refs.ts';
import { isoTime } from './time.ts';
import { EntitiesRef, MediaRef } from './tweet-parts.ts';
import { fromAuthor, fromCard, type UserSource } from './user-source.ts';

export function readTweet(tweet: Tweet): TweetSource {
  return tweet;
}

/** A tweet of which no more than the id is known: enough where no more is asked for. */
export function tweetOfId(id: string, rest: Partial<TweetSource> = {}): TweetSource {
  return { id, ...rest } as TweetSource;
}

/** The tweet of this id: a call, unless what is `atHand` is all that is asked for. */
export function tweetById<Parent>(
  id: (parent: Parent) => string | null,
  atHand?: { known: readonly string[]; source: (parent: Parent) => TweetSource },
) {
  return oneCall<Parent, unknown, Tweet, TweetSource>({
    action: tweetDetail,
    input: (parent) => ({ tweet_id: id(parent) }),
    read: readTweet,
    view: 'tweet',
    atHand: atHand ?? {
      known: ['id', 'tweetId'],
      source: (parent) => {
        const known = id(parent);
        return known === null ? null : tweetOfId(known);
      },
    },
  });
}

builder.node(TweetRef, {
  description: 'A short post.',
  id: { resolve: (tweet) => tweet.id },
  fields: (t) => ({
    tweetId: t.exposeString('id', { description: "The platform's id." }),
    text: t.exposeString('text', { description: 'The text.', ...costs({ bytes: 300 }) }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was posted.',
      resolve: (tweet) => isoTime(tweet.createdAt),
    }),
    lang: t.exposeString('lang', { description: 'Language code.' }),
    source: t.exposeString('source', { nullable: true, description: 'Name of the client that it was posted with.' }),
    url: t.exposeString('url', { nullable: true, description: 'Its address.' }),
    platformUrl: t.exposeString('platformUrl', {
      nullable: true,
      description: 'Its address under another name of the platform.',
    }),
    likeCount: t.exposeInt('likeCount', { description: 'Likes.' }),
    retweetCount: t.exposeInt('retweetCount', { description: 'Retweets.' }),
    replyCount: t.exposeInt('replyCount', { description: 'Replies.' }),
    quoteCount: t.exposeInt('quoteCount', { description: 'Tweets that quote it.' }),
    bookmarkCount: t.exposeInt('bookmarkCount', { description: 'Bookmarks.' }),
    viewCount: t.exposeInt('viewCount', { nullable: true, description: 'Views, where they are known.' }),
    isReply: t.exposeBoolean('isReply', { description: 'True where it answers another tweet.' }),
    inReplyToId: t.exposeString('inReplyToId', { nullable: true, description: 'Id of the tweet that it answers.' }),
    inReplyToUserId: t.exposeString('inReplyToUserId', {
      nullable: true,
      description: 'Id of the user whom it answers.',
    }),
    conversationId: t.exposeString('conversationId', {
      nullable: true,
      description: 'Id of the tweet that began the thread.',
    }),
    media: t.field({
      type: [MediaRef],
      description: 'Photos, videos and animations.',
      resolve: (tweet): readonly Media[] => tweet.media,
    }),
    entities: t.field({
      type: EntitiesRef,
      description: 'What is marked in the text.',
      resolve: (tweet): Entities => tweet.entities,
    }),
    author: t.field({
      type: UserRef,
      nullable: true,
      description: 'Who wrote it. It comes with the tweet: only fields that it lacks cost a call.',
      ...costs({ view: 'author' }),
      resolve: (tweet) => fromAuthor(tweet.author),
    }),
    quotedTweet: t.field({
      type: TweetRef,
      nullable: true,
      description:
        'The tweet inside it; null where there is none, or where it cannot be seen. It comes with the tweet, but what it quotes itself costs a call.',
      ...costs({ action: tweetDetail, carriedBy: ['tweet'], view: 'quoted' }),
      resolve: quotedTweet,
    }),
    inReplyTo: t.field({
      type: TweetRef,
      description: 'The tweet that it answers. A call, unless only the id is asked for.',
      ...tweetById<TweetSource>((tweet) => tweet.inReplyToId),
    }),
    replies: t.field({
      type: TweetConnection,
      args: pageArgs,
      description: 'Replies, newest first.',
      ...listCall<TweetSource, Tweet, TweetSource>({
        action: tweetReplies,
        items: 'tweets',
        input: (tweet) => ({ tweet_id: tweet.id }),
        read: readTweet,
        view: 'tweet',
      }),
    }),
    quotes: t.field({
      type: TweetConnection,
      args: pageArgs,
      description: 'Tweets that quote this one, newest first.',
      ...listCall<TweetSource, Tweet, TweetSource>({
        action: tweetQuotes,
        items: 'tweets',
        input: (tweet) => ({ tweet_id: tweet.id }),
        read: readTweet,
        view: 'tweet',
      }),
    }),
    retweeters: t.field({
      type: UserConnection,
      args: pageArgs,
      description: 'Users who retweeted it, the newest retweet first.',
      ...listCall<TweetSource, UserCard, UserSource>({
        action: tweetRetweeters,
        items: 'users',
        input: (tweet) => ({ tweet_id: tweet.id }),
        read: fromCard,
        view: 'card',
      }),
    }),
  }),
});

async function quotedTweet(tweet: TweetSource, _args: unknown, session: Session): Promise<TweetSource | null> {
  const whole =
    tweet.quoted_tweet === undefined ? await session.read<Tweet>(tweetDetail, { tweet_id: tweet.id }) : tweet;
  return whole.quoted_tweet ? { ...whole.quoted_tweet, quoted_tweet: undefined } : null;
}
