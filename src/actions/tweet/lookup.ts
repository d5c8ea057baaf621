import { z } from 'zod';
import { divideFound, lookupList, missingReason } from '../../shared/model/lookup.ts';
import { numericId, tweetId } from '../../shared/model/scalars.ts';
import { tweet } from '../../shared/model/tweet.ts';
import { platformAction } from '../action.ts';

export const missingTweet = z
  .object({ id: tweetId, reason: missingReason })
  .meta({ id: 'MissingTweet', description: 'A tweet that a look-up did not find.' });

export const tweetLookup = platformAction({
  name: 'tweet/lookup',
  method: 'GET',
  path: '/tweets',
  summary: 'Up to 100 tweets by their ids, in this order',
  description: 'An id that is given more than once counts once. Costs one call, also if tweets are missing.',
  input: z.object({ ids: lookupList(numericId, 'Ids of tweets, at most 100 different ones.') }),
  example: { ids: ['1989000000000000000', '1'] },
  output: z.object({
    tweets: z.array(tweet),
    missing: z.array(missingTweet).meta({ description: 'The tweets that were not found.' }),
  }),
  async run({ platform }, { ids }) {
    const wanted = [...new Set(ids)];
    const { items, missing } = divideFound(wanted, await platform.tweets(wanted), (id) => ({ id }));
    return { tweets: items, missing };
  },
});

export const tweetDetail = platformAction({
  name: 'tweet/detail',
  method: 'GET',
  summary: 'One tweet',
  input: z.object({ tweet_id: tweetId }),
  example: { tweet_id: '1989000000000000000' },
  output: tweet,
  run: ({ platform }, { tweet_id }) => platform.tweet(tweet_id),
});
