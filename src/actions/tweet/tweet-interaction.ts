import { z } from 'zod';
import type { PlatformSession } from '../../platform/port.ts';
import { tweetId } from '../../shared/model/scalars.ts';
import { type ActionName, platformAction } from '../action.ts';

interface Interaction {
  /** The name of the action, such as `tweet/favorite`. */
  name: ActionName;
  summary: string;
  /** The boolean field of the output, such as `liked`. */
  done: string;
  effect?: 'idempotent' | 'once';
  destructive?: boolean;
  perform: (platform: PlatformSession, tweetId: string) => Promise<void>;
}

/**
 * Declares an action that marks or unmarks one tweet, such as a like. Its input is `tweet_id`, and its output is
 * `tweetId` and one boolean (docs/rest.md, Tweets).
 */
function tweetInteraction({ name, done, effect = 'idempotent', perform, ...documented }: Interaction) {
  return platformAction({
    ...documented,
    name,
    method: 'POST',
    effect,
    input: z.object({ tweet_id: tweetId }),
    example: { tweet_id: '1989000000000000000' },
    output: z.object({
      tweetId,
      [done]: z.boolean().meta({ description: 'Always true. A failed request returns an error instead.' }),
    }),
    async run({ platform }, { tweet_id }) {
      await perform(platform, tweet_id);
      return { tweetId: tweet_id, [done]: true };
    },
  });
}

export const deleteTweet = tweetInteraction({
  name: 'tweet/delete',
  summary: 'Delete a tweet of the actor',
  done: 'deleted',
  effect: 'once',
  destructive: true,
  perform: (platform, tweetId) => platform.deleteTweet(tweetId),
});

export const favorite = tweetInteraction({
  name: 'tweet/favorite',
  summary: 'Like a tweet',
  done: 'liked',
  perform: (platform, tweetId) => platform.likeTweet(tweetId),
});

export const unlike = tweetInteraction({
  name: 'tweet/unlike',
  summary: 'Remove a like',
  done: 'unliked',
  perform: (platform, tweetId) => platform.unlikeTweet(tweetId),
});

export const bookmark = tweetInteraction({
  name: 'tweet/bookmark',
  summary: 'Bookmark a tweet',
  done: 'bookmarked',
  perform: (platform, tweetId) => platform.bookmarkTweet(tweetId),
});

export const unbookmark = tweetInteraction({
  name: 'tweet/unbookmark',
  summary: 'Remove a bookmark',
  done: 'unbookmarked',
  perform: (platform, tweetId) => platform.unbookmarkTweet(tweetId),
});

export const retweet = tweetInteraction({
  name: 'tweet/retweet',
  summary: 'Retweet a tweet',
  done: 'retweeted',
  perform: (platform, tweetId) => platform.retweet(tweetId),
});

export const unretweet = tweetInteraction({
  name: 'tweet/unretweet',
  summary: 'Remove a retweet',
  done: 'unretweeted',
  perform: (platform, tweetId) => platform.unretweet(tweetId),
});
