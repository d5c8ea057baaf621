import { z } from 'zod';
import type { PageOf, PageRequest, PlatformSession, UserReference } from '../../platform/port.ts';
import { pageInput } from '../../shared/model/page.ts';
import { numericId } from '../../shared/model/scalars.ts';
import type { Tweet } from '../../shared/model/tweet.ts';
import type { UserCard } from '../../shared/model/user.ts';
import { type ActionName, type PlatformAction, platformAction } from '../action.ts';
import { anyOf, userInput, userReference } from '../input/input.ts';
import { ownedCursor, platformCursor } from '../input/list-owner.ts';
import { tweetPage, tweetPageOutput, userPage, userPageOutput } from '../paging/pages.ts';

interface UserList<Item> {
  /** The name of the action, such as `user/followers`. */
  name: ActionName;
  summary: string;
  /** The screen name of a demo user whose list is not empty, for the documents. */
  example: string;
  fetch: (platform: PlatformSession, user: UserReference, page: PageRequest) => Promise<PageOf<Item>>;
}

const input = z.object({ ...userInput, ...pageInput }).check(anyOf('userName', 'userId'));

/** Declares an action that lists users related to one user, such as followers (docs/rest.md, Calls). */
function usersOfUser(items: string, list: UserList<UserCard>): PlatformAction {
  return platformAction({
    ...declared(list),
    output: z.object({ userName: z.string(), ...userPageOutput(items) }),
    async run({ platform }, { count, cursor, ...user }) {
      const page = await fetchPage(list, platform, user, { count, cursor });
      return { userName: page.user.userName, ...userPage(items, page) };
    },
  });
}

/** Declares an action that lists tweets of one user (docs/rest.md, Calls). */
function tweetsOfUser(list: UserList<Tweet>): PlatformAction {
  return platformAction({
    ...declared(list),
    output: z.object({ userName: z.string(), userId: numericId, ...tweetPageOutput }),
    async run({ platform }, { count, cursor, ...user }) {
      const page = await fetchPage(list, platform, user, { count, cursor });
      return { userName: page.user.userName, userId: page.user.id, ...tweetPage(page) };
    },
  });
}

/** Fetches a page and adds the owner of the list to its cursor. */
async function fetchPage<Item>(
  list: UserList<Item>,
  platform: PlatformSession,
  user: Parameters<typeof userReference>[0],
  { count, cursor }: { count: number; cursor: string | undefined },
): Promise<PageOf<Item>> {
  const page = await list.fetch(platform, userReference(user), { count, cursor: platformCursor(cursor) });
  return { ...page, cursor: ownedCursor(page.user, page.cursor) };
}

function declared({ name, summary, example }: UserList<unknown>) {
  return {
    name,
    method: 'GET',
    summary,
    paged: true,
    owner: { id: 'userId', name: 'userName' },
    input,
    example: { userName: example, count: 1 },
  } as const;
}

export const tweetsAndReplies = tweetsOfUser({
  name: 'user/tweets_and_replies',
  summary: "A user's tweets, replies and retweets, newest first",
  example: 'grace',
  fetch: (platform, user, page) => platform.userTweets(user, page),
});

export const articlesTweets = tweetsOfUser({
  name: 'user/articles_tweets',
  summary: "A user's published articles, as their wrapper tweets",
  example: 'ada',
  fetch: (platform, user, page) => platform.userArticles(user, page),
});

export const userLikes = tweetsOfUser({
  name: 'user/likes',
  summary: 'The tweets that a user liked, the newest like first',
  example: 'grace',
  fetch: (platform, user, page) => platform.likedTweets(user, page),
});

export const followers = usersOfUser('followers', {
  name: 'user/followers',
  summary: 'The followers of a user',
  example: 'grace',
  fetch: (platform, user, page) => platform.followers(user, page),
});

export const following = usersOfUser('following', {
  name: 'user/following',
  summary: 'The users whom a user follows',
  example: 'grace',
  fetch: (platform, user, page) => platform.following(user, page),
});

export const affiliates = usersOfUser('affiliates', {
  name: 'user/affiliates',
  summary: 'Accounts affiliated with a verified organization',
  example: 'tidewater_labs',
  fetch: (platform, user, page) => platform.affiliates(user, page),
});
