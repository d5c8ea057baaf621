import { z } from 'zod';
import { numericId } from '../../../model/scalars.ts';
import { flatPrice, platformAction } from '../../action.ts';

export const unlike = platformAction({
  name: 'tweet/unlike',
  method: 'POST',
  path: '/tweet/unlike',
  summary: 'Take back a like',
  price: flatPrice,
  effect: 'idempotent',
  input: z.object({ tweet_id: numericId.meta({ description: 'The tweet.' }) }),
  example: { tweet_id: '1989000000000000000' },
  output: z.object({ tweetId: numericId, unliked: z.boolean() }),
  async run({ platform }, { tweet_id }) {
    await platform.unlikeTweet(tweet_id);
    return { tweetId: tweet_id, unliked: true };
  },
});
