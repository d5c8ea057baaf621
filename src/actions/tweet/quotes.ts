import { z } from 'zod';
import { pageInput } from '../../shared/model/page.ts';
import { tweetId } from '../../shared/model/scalars.ts';
import { flatPrice, platformAction } from '../action.ts';
import { tweetPage, tweetPageOutput } from '../paging/pages.ts';

export const tweetQuotes = platformAction({
  name: 'tweet/quotes',
  method: 'GET',
  path: '/tweet/quotes',
  summary: 'Tweets that quote a tweet, newest first',
  price: flatPrice,
  effect: 'read',
  paged: true,
  input: z.object({ tweet_id: tweetId, ...pageInput }),
  example: { tweet_id: '1989000000000000000', count: 1 },
  output: z.object({ tweetId, ...tweetPageOutput }),
  async run({ platform }, { tweet_id, count, cursor = null }) {
    return { tweetId: tweet_id, ...tweetPage(await platform.quotes(tweet_id, { count, cursor })) };
  },
});
