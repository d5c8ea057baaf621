import { z } from 'zod';
import { numericId } from '../../../model/scalars.ts';
import { flatPrice, platformAction } from '../../action.ts';

export const favorite = platformAction({
  name: 'tweet/favorite',
  method: 'POST',
  path: '/tweet/favorite',
  summary: 'Like a tweet',
  price: flatPrice,
  effect: 'idempotent',
  input: z.object({ tweet_id: numericId.meta({ description: 'The tweet.' }) }),
  example: { tweet_id: '1989000000000000000' },
  output: z.object({ tweetId: numericId, liked: z.boolean() }),
  async run({ platform }, { tweet_id }) {
    await platform.likeTweet(tweet_id);
    return { tweetId: tweet_id, liked: true };
  },
});
