import { z } from 'zod';
import { tweetId } from '../../shared/model/scalars.ts';
import { tweet } from '../../shared/model/tweet.ts';
import { flatPrice, platformAction } from '../action.ts';

export const tweetDetail = platformAction({
  name: 'tweet/detail',
  method: 'GET',
  path: '/tweet/detail',
  summary: 'One tweet',
  price: flatPrice,
  effect: 'read',
  input: z.object({ tweet_id: tweetId }),
  example: { tweet_id: '1989000000000000000' },
  output: tweet,
  run: ({ platform }, { tweet_id }) => platform.tweet(tweet_id),
});
