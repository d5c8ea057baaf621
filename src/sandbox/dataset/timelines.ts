import { compareIds } from './snowflake.ts';
import type { Repost, SandboxTweet, User } from './types.ts';

/** Yields tweets that are ordered by id, newest first. Starts after the tweet with the id `before`. */
export function* newestTweets(
  tweets: readonly SandboxTweet[],
  before: string | undefined,
): Generator<readonly [tweet: SandboxTweet, id: string]> {
  for (const [tweet] of reversed(tweets, before === undefined ? undefined : lowerBound(tweets, before))) {
    yield [tweet, tweet.id];
  }
}

/** A tweet or a repost, as timelines have it. */
export type Post = SandboxTweet | Repost;

/** Yields the tweets and reposts of a user, newest first, below the id `before`. Reposts of own tweets are left out. */
export function timelineOf(user: User, before: string | undefined): Generator<readonly [post: Post, id: string]> {
  return mergeNewest(user.tweets, user.retweeted.values(), before, (repost) => repost.of.author !== user);
}

/** Yields tweets and reposts, newest first, below the id `before`. Both must be ordered by id. */
export function* mergeNewest(
  tweets: readonly SandboxTweet[],
  reposts: Iterable<Repost>,
  before: string | undefined,
  shown: (repost: Repost) => boolean,
): Generator<readonly [post: Post, id: string]> {
  const own = newestTweets(tweets, before);
  let next = own.next();
  for (const repost of [...reposts].reverse()) {
    if (!shown(repost) || (before !== undefined && compareIds(repost.id, before) >= 0)) continue;
    for (; next.done !== true && compareIds(next.value[1], repost.id) > 0; next = own.next()) yield next.value;
    yield [repost, repost.id];
  }
  for (; next.done !== true; next = own.next()) yield next.value;
}

/** Yields items in reverse order, starting below the index `before`. Use it only for arrays that are append-only. */
export function* reversed<T>(
  items: readonly T[],
  before: number | undefined,
): Generator<readonly [item: T, place: number]> {
  for (let at = Math.min(before ?? items.length, items.length) - 1; at >= 0; at--) {
    const item = items[at];
    if (item !== undefined) yield [item, at];
  }
}

/** Returns the index of the first tweet whose id is `id` or higher. The tweets must be ordered by id. */
export function lowerBound(tweets: readonly SandboxTweet[], id: string): number {
  let low = 0;
  let high = tweets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = tweets[middle];
    if (other !== undefined && compareIds(other.id, id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
