import type { Action } from '../../../actions/action.ts';
import { bookmark } from '../../../actions/tweet/bookmark.ts';
import { createTweet } from '../../../actions/tweet/create.ts';
import { deleteTweet } from '../../../actions/tweet/delete.ts';
import { favorite } from '../../../actions/tweet/favorite.ts';
import { retweet } from '../../../actions/tweet/retweet.ts';
import { unbookmark } from '../../../actions/tweet/unbookmark.ts';
import { unlike } from '../../../actions/tweet/unlike.ts';
import { unretweet } from '../../../actions/tweet/unretweet.ts';
import { costs } from '../cost.ts';
import { given } from './bind.ts';
import { builder } from './builder.ts';
import { performs } from './mutation.ts';
import { TweetRef } from './refs.ts';
import { isoTime } from './time.ts';
import { tweetById, tweetOfId } from './tweet.ts';

/** Bytes of 25,000 characters. */
const longestTweet = 75_000;

interface CreatedTweet {
  id: string;
  text: string;
  createdAt: string;
  pending_moderation: boolean;
  community_id: string;
}

const CreateTweetPayload = builder.objectRef<CreatedTweet>('CreateTweetPayload');

builder.objectType(CreateTweetPayload, {
  description: 'A tweet that was posted.',
  fields: (t) => ({
    id: t.exposeString('id', { description: "The platform's id of the tweet." }),
    text: t.exposeString('text', { description: 'Its text, as posted.', ...costs({ bytes: longestTweet }) }),
    createdAt: t.field({ type: 'DateTime', description: 'When.', resolve: (tweet) => isoTime(tweet.createdAt) }),
    pendingModeration: t.exposeBoolean('pending_moderation', { description: 'True while others cannot see it yet.' }),
    communityId: t.exposeString('community_id', { description: 'Empty where there is none.' }),
    tweet: t.field({
      type: TweetRef,
      description: 'The tweet. A call, unless only `tweetId`, `text` and `createdAt` are asked for.',
      ...tweetById<CreatedTweet>(({ id }) => id, {
        known: ['id', 'tweetId', 'text', 'createdAt'],
        source: ({ id, text, createdAt }) => tweetOfId(id, { text, createdAt }),
      }),
    }),
  }),
});

const CreateTweetInput = builder.inputType('CreateTweetInput', {
  description: 'A tweet, a reply or a quote.',
  fields: (t) => ({
    text: t.string({
      description: 'Up to 280 weighted characters; 25,000 for a premium account. Needed where there is no media.',
    }),
    replyToTweetId: t.string({ description: 'The tweet that this one answers.' }),
    quoteTweetId: t.string({ description: 'The tweet to show inside this one.' }),
    quoteTweetUrl: t.string({
      description: 'Instead of `quoteTweetId`: the id is read from it. With or without a scheme.',
    }),
    mediaIds: t.stringList({ description: 'What was uploaded: up to four photos, or one video, or one gif.' }),
    mediaUrls: t.stringList({ description: 'Addresses of media to fetch, attached after that of `mediaIds`.' }),
  }),
});

builder.mutationField('createTweet', (t) =>
  t.field({
    type: CreateTweetPayload,
    description: 'Post a tweet, a reply or a quote. A call.',
    args: { input: t.arg({ type: CreateTweetInput, required: true, description: 'What to post.' }) },
    ...performs<typeof CreateTweetInput.$inferInput, CreatedTweet>(createTweet, (tweet) =>
      given({
        text: tweet.text,
        reply_to_tweet_id: tweet.replyToTweetId,
        quote_tweet_id: tweet.quoteTweetId,
        quote_tweet_url: tweet.quoteTweetUrl,
        media_ids: tweet.mediaIds,
        media_urls: tweet.mediaUrls,
      }),
    ),
  }),
);

interface Interaction {
  /** Of the mutation, such as `likeTweet`. */
  field: string;
  action: Action;
  /** The boolean of the answer, such as `liked`. */
  done: string;
  about: string;
  doneAbout: string;
}

/** What is done to one tweet: takes its id, answers it with one boolean. */
function interaction({ field, action, done, about, doneAbout }: Interaction): void {
  const name = field[0]?.toUpperCase() + field.slice(1);
  const input = builder.inputType(`${name}Input`, {
    description: `Which tweet ${field} is about.`,
    fields: (t) => ({ tweetId: t.string({ required: true, description: "The platform's id of the tweet." }) }),
  });
  const payload = builder.objectRef<{ tweetId: string } & Record<string, unknown>>(`${name}Payload`);
  builder.objectType(payload, {
    description: `What ${field} did.`,
    fields: (t) => ({
      tweetId: t.string({ description: "The platform's id of the tweet.", resolve: ({ tweetId }) => tweetId }),
      [done]: t.boolean({ description: doneAbout, resolve: (answer) => answer[done] === true }),
      tweet: t.field({
        type: TweetRef,
        description: 'The tweet. A call, unless only its id is asked for.',
        ...tweetById<{ tweetId: string }>(({ tweetId }) => tweetId),
      }),
    }),
  });
  builder.mutationField(field, (t) =>
    t.field({
      type: payload,
      description: `${about} A call.`,
      args: { input: t.arg({ type: input, required: true, description: 'Which tweet.' }) },
      ...performs<{ tweetId: string }, { tweetId: string } & Record<string, unknown>>(action, ({ tweetId }) => ({
        tweet_id: tweetId,
      })),
    }),
  );
}

const again = 'A second time it is the same.';
const always = 'Always true: what fails is an error.';

for (const each of [
  { field: 'deleteTweet', action: deleteTweet, done: 'deleted', about: "Delete one of the actor's own tweets." },
  { field: 'likeTweet', action: favorite, done: 'liked', about: `Like a tweet. ${again}` },
  { field: 'unlikeTweet', action: unlike, done: 'unliked', about: `Take a like back. ${again}` },
  { field: 'bookmarkTweet', action: bookmark, done: 'bookmarked', about: `Bookmark a tweet. ${again}` },
  { field: 'unbookmarkTweet', action: unbookmark, done: 'unbookmarked', about: `Take a bookmark back. ${again}` },
  { field: 'retweet', action: retweet, done: 'retweeted', about: `Retweet a tweet. ${again}` },
  { field: 'unretweet', action: unretweet, done: 'unretweeted', about: `Take a retweet back. ${again}` },
]) {
  interaction({ ...each, doneAbout: always });
}
