import type { OutputOf } from '../../../actions/action.ts';
import { bookmark } from '../../../actions/tweet/bookmark.ts';
import { createTweet } from '../../../actions/tweet/create.ts';
import { deleteTweet } from '../../../actions/tweet/delete.ts';
import { favorite } from '../../../actions/tweet/favorite.ts';
import { retweet } from '../../../actions/tweet/retweet.ts';
import { unbookmark } from '../../../actions/tweet/unbookmark.ts';
import { unlike } from '../../../actions/tweet/unlike.ts';
import { unretweet } from '../../../actions/tweet/unretweet.ts';
import { costs } from '../cost.ts';
import { mutation } from './mutation.ts';
import { TweetRef } from './refs.ts';
import { tweetByIdField, tweetOfId } from './tweet.ts';

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
