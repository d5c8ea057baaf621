import { z } from 'zod';
import { pageInput } from '../../shared/model/page.ts';
import { numericId } from '../../shared/model/scalars.ts';
import { flatPrice, platformAction } from '../action.ts';
import { tweetPage, tweetPageOutput } from '../paging/pages.ts';

export const mentions = platformAction({
  name: 'user/mentions',
  method: 'GET',
  path: '/user/mentions',
  summary: 'Tweets that mention the actor, newest first',
  description: 'Includes replies that mention the actor. Tweets by the actor are left out.',
  price: flatPrice,
  effect: 'read',
  paged: true,
  input: z.object(pageInput),
  example: { count: 1 },
  output: z.object({ userId: numericId, ...tweetPageOutput }),
  async run({ platform }, { count, cursor = null }) {
    const page = await platform.mentions({ count, cursor });
    return { userId: page.viewerId, ...tweetPage(page) };
  },
});
