import { compareIds } from './snowflake.ts';
import type { SandboxTweet, User } from './types.ts';

/** Yields tweets that are ordered by id, newest first. Starts after the tweet with the id `before`. */
export function* newestTweets(
  tweets: readonly SandboxTweet[],
  before: string | undefined,
): Generator<readonly [tweet: SandboxTweet, id: string]> {
  for (const [tweet] of reversed(tweets, before === undefined ? undefined : lowerBound(tweets, before))) {
    yield [tweet, tweet.id];
  }
}

/**
 * Yields the tweets and retweets of a user, newest first. A retweet is ordered by the time of the retweet, and its
 * position ends in `r`. Retweets of own tweets are left out. If a retweet and a tweet have the same id, the retweet
 * comes first.
 */
export function* timelineOf(
  user: User,
  after: string | undefined,
): Generator<readonly [tweet: SandboxTweet, position: string]> {
  const [, id, mark] = /^(\d+)(r?)$/.exec(after ?? '') ?? [];
  const before = id !== undefined && mark === 'r' ? String(BigInt(id) + 1n) : id;
  const own = newestTweets(user.tweets, before);
  let next = own.next();
  for (const [tweet, place] of [...user.retweeted].reverse()) {
    if (tweet.author === user || (id !== undefined && compareIds(place, id) >= 0)) continue;
    for (; next.done !== true && compareIds(next.value[1], place) > 0; next = own.next()) yield next.value;
    yield [tweet, `${place}r`];
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
