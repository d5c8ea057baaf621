import { z } from 'zod';
import type { PageRequest, PlatformSession } from '../../platform/port.ts';
import { type Page, pageInput } from '../../shared/model/page.ts';
import { tweetId } from '../../shared/model/scalars.ts';
import type { Tweet } from '../../shared/model/tweet.ts';
import type { UserCard } from '../../shared/model/user.ts';
import { type ActionName, platformAction } from '../action.ts';
import { tweetPage, tweetPageOutput, userPage, userPageOutput } from '../paging/pages.ts';

type Read<Item> = (platform: PlatformSession, id: string, page: PageRequest) => Promise<Page<Item>>;

const ofTweet = {
  method: 'GET',
  paged: true,
  input: z.object({ tweet_id: tweetId, ...pageInput }),
  example: { tweet_id: '1989000000000000000', count: 1 },
} as const;

function tweets(name: ActionName, summary: string, read: Read<Tweet>) {
  return platformAction({
    ...ofTweet,
    name,
    summary,
    output: z.object({ tweetId, ...tweetPageOutput }),
    async run({ platform }, { tweet_id, count, cursor = null }) {
      return { tweetId: tweet_id, ...tweetPage(await read(platform, tweet_id, { count, cursor })) };
    },
  });
}

export const tweetReplies = tweets('tweet/replies', 'Replies to a tweet, newest first', (platform, ...of) =>
  platform.replies(...of),
);
export const tweetQuotes = tweets('tweet/quotes', 'Tweets that quote a tweet, newest first', (platform, ...of) =>
  platform.quotes(...of),
);

/** Declares the list of the users who reacted to a tweet. */
function reactors(
  name: 'tweet/likers' | 'tweet/retweeters',
  [verb, noun, counter]: readonly [verb: string, noun: string, counter: string],
  read: Read<UserCard>,
) {
  return platformAction({
    ...ofTweet,
    name,
    summary: `Users who ${verb} a tweet, the newest ${noun} first`,
    description: `Protected users are listed for their followers only, so there may be fewer users than \`${counter}\`.`,
    output: z.object({ tweetId, ...userPageOutput('users') }),
    async run({ platform }, { tweet_id, count, cursor = null }) {
      return { tweetId: tweet_id, ...userPage('users', await read(platform, tweet_id, { count, cursor })) };
    },
  });
}

export const tweetLikers = reactors('tweet/likers', ['liked', 'like', 'likeCount'], (platform, ...of) =>
  platform.likers(...of),
);
export const tweetRetweeters = reactors(
  'tweet/retweeters',
  ['retweeted', 'retweet', 'retweetCount'],
  (platform, ...of) => platform.retweeters(...of),
);
