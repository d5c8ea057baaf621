import { z } from 'zod';
import type { Page } from '../../shared/model/page.ts';
import { pageOutput } from '../../shared/model/page.ts';
import { count } from '../../shared/model/scalars.ts';
import { type Tweet, tweet } from '../../shared/model/tweet.ts';
import { type UserCard, userCard } from '../../shared/model/user.ts';

/** The output fields of every page of tweets (docs/rest.md, Pages). */
export const tweetPageOutput = { tweet_count: count, ...pageOutput, tweets: z.array(tweet) };

export function tweetPage(page: Page<Tweet>) {
  return {
    tweet_count: page.items.length,
    has_more: page.cursor !== null,
    next_cursor: page.cursor,
    tweets: page.items,
  };
}

/** Returns the output fields of a page of users. `name` is the name of the array. */
export function userPageOutput(name: string) {
  return { user_count: count, ...pageOutput, [name]: z.array(userCard) };
}

export function userPage(name: string, page: Page<UserCard>) {
  return {
    user_count: page.items.length,
    has_more: page.cursor !== null,
    next_cursor: page.cursor,
    [name]: page.items,
  };
}
