import { z } from 'zod';
import { pageInput } from '../../shared/model/page.ts';
import { tweetId } from '../../shared/model/scalars.ts';
import { flatPrice, platformAction } from '../action.ts';
import { userPage, userPageOutput } from '../paging/pages.ts';

export const tweetLikers = platformAction({
  name: 'tweet/likers',
  method: 'GET',
  path: '/tweet/likers',
  summary: 'Users who liked a tweet, the newest like first',
  description: 'Protected users are listed for their followers only, so there may be fewer users than `likeCount`.',
  price: flatPrice,
  effect: 'read',
  paged: true,
  input: z.object({ tweet_id: tweetId, ...pageInput }),
  example: { tweet_id: '1989000000000000000', count: 1 },
  output: z.object({ tweetId, ...userPageOutput('users') }),
  async run({ platform }, { tweet_id, count, cursor = null }) {
    return { tweetId: tweet_id, ...userPage('users', await platform.likers(tweet_id, { count, cursor })) };
  },
});
