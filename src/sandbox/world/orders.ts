import { lowerBound } from './relation.ts';
import type { Tweet } from './types.ts';
import type { World } from './world.ts';

/** The tweets at these ascending positions, newest first, that are older than the one with the id `before`. */
export function* newestTweets(
  world: World,
  positions: readonly number[],
  before: string | undefined,
): Generator<readonly [tweet: Tweet, id: string]> {
  let at = before === undefined ? positions.length : lowerBound(positions, world.positionOf(before));
  while (--at >= 0) {
    const tweet = world.tweets[positions[at] ?? -1];
    if (tweet !== undefined) yield [tweet, tweet.id];
  }
}

/** The last first, of what stands before the place `before`. For what is only ever added to. */
export function* lastFirst<T>(
  items: readonly T[],
  before: number | undefined,
): Generator<readonly [item: T, place: number]> {
  for (let at = Math.min(before ?? items.length, items.length) - 1; at >= 0; at--) {
    const item = items[at];
    if (item !== undefined) yield [item, at];
  }
}
