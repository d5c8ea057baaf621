import { z } from 'zod';
import type { PageRequest, PlatformSession, ViewerPage } from '../../platform/port.ts';
import { pageInput } from '../../shared/model/page.ts';
import { numericId } from '../../shared/model/scalars.ts';
import type { Tweet } from '../../shared/model/tweet.ts';
import { type Action, type ActionName, platformAction } from '../action.ts';
import { tweetPage, tweetPageOutput } from '../paging/pages.ts';

/** Declares a list of tweets for the actor. */
function ownTweets(
  declaration: Pick<Action, 'method' | 'summary'> & { name: ActionName; description?: string },
  read: (platform: PlatformSession, page: PageRequest) => Promise<ViewerPage<Tweet>>,
) {
  return platformAction({
    ...declaration,
    effect: 'read',
    paged: true,
    input: z.object(pageInput),
    example: { count: 1 },
    output: z.object({ userId: numericId, ...tweetPageOutput }),
    async run({ platform }, { count, cursor = null }) {
      const page = await read(platform, { count, cursor });
      return { userId: page.viewerId, ...tweetPage(page) };
    },
  });
}

export const homeTimeline = ownTweets(
  { name: 'user/home_timeline', method: 'POST', summary: "The actor's For You feed" },
  (platform, page) => platform.homeTimeline(page),
);

export const mentions = ownTweets(
  {
    name: 'user/mentions',
    method: 'GET',
    summary: 'Tweets that mention the actor, newest first',
    description: 'Includes replies that mention the actor. Tweets by the actor are left out.',
  },
  (platform, page) => platform.mentions(page),
);

export const bookmarks = ownTweets(
  { name: 'user/bookmarks', method: 'GET', summary: "The actor's own bookmarks, newest first" },
  (platform, page) => platform.bookmarks(page),
);
