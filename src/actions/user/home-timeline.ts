import { z } from 'zod';
import { pageInput } from '../../shared/model/page.ts';
import { numericId } from '../../shared/model/scalars.ts';
import { flatPrice, platformAction } from '../action.ts';
import { tweetPage, tweetPageOutput } from '../paging/pages.ts';

export const homeTimeline = platformAction({
  name: 'user/home_timeline',
  method: 'POST',
  path: '/user/home_timeline',
  summary: "The actor's For You feed",
  price: flatPrice,
  effect: 'read',
  paged: true,
  input: z.object(pageInput),
  example: { count: 1 },
  output: z.object({ userId: numericId, ...tweetPageOutput }),
  async run({ platform }, { count, cursor = null }) {
    const page = await platform.homeTimeline({ count, cursor });
    return { userId: page.viewerId, ...tweetPage(page) };
  },
});
