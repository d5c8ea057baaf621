import { z } from 'zod';
import { pageInput } from '../../shared/model/page.ts';
import { numericId } from '../../shared/model/scalars.ts';
import { flatPrice, platformAction } from '../action.ts';
import { tweetPage, tweetPageOutput } from '../paging/pages.ts';

export const bookmarks = platformAction({
  name: 'user/bookmarks',
  method: 'GET',
  path: '/user/bookmarks',
  summary: "The actor's own bookmarks, newest first",
  price: flatPrice,
  effect: 'read',
  paged: true,
  input: z.object(pageInput),
  example: { count: 1 },
  output: z.object({ userId: numericId, ...tweetPageOutput }),
  async run({ platform }, { count, cursor = null }) {
    const page = await platform.bookmarks({ count, cursor });
    return { userId: page.viewerId, ...tweetPage(page) };
  },
});
