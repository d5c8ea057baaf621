import type { Dataset } from './dataset.ts';
import { compareIds } from './snowflake.ts';
import { newestTweets } from './timelines.ts';
import type { SandboxTweet, User } from './types.ts';
import { hiddenFrom } from './visibility.ts';

const HOUR_MS = 3_600_000;
const MAX_PER_AUTHOR = 12;
const MAX_AGE_MS = 21 * 24 * HOUR_MS;
/**
 * The number of latest tweets of all users that the feed considers, and the minimum score of a tweet from a user who is
 * not followed.
 */
const RECENT_TWEETS = 500;
const MIN_SCORE = 5;
const MAX_LENGTH = 600;

interface FeedTweet {
  readonly tweet: SandboxTweet;
  readonly rank: number;
}

/**
 * Yields the home feed of a viewer after a position, best first. All pages belong to the feed as it was at the first page.
 * A position has the name of the feed, the id of the last tweet that the feed considers, and rank and id of a tweet.
 */
export function* homeAfter(
  dataset: Dataset,
  viewer: User,
  after: string | undefined,
): Generator<readonly [tweet: SandboxTweet, position: string]> {
  const { feeds } = dataset;
  const [known, lastId = dataset.lastTweetId ?? '0', rank = 'Infinity', id = '0'] = after?.split(':') ?? [];
  const make = () => homeFeed(dataset, viewer, lastId);
  const name = known ?? feeds.newName(viewer, lastId);
  const feed = known === undefined ? make() : feeds.find(name, make);
  let hasMore = true;
  try {
    for (const each of feed) {
      const isAfter = each.rank < Number(rank) || (each.rank === Number(rank) && compareIds(each.tweet.id, id) < 0);
      if (isAfter) yield [each.tweet, `${name}:${lastId}:${each.rank}:${each.tweet.id}`];
    }
    hasMore = false;
  } finally {
    if (hasMore) feeds.keep(name, feed);
  }
}

/**
 * Builds the home feed of a viewer, best first, from tweets up to the one with the id `lastId`: tweets of followed
 * users, and other recent tweets with a high score. The ranking does not use the current time, so the same `lastId`
 * always gives the same order.
 */
function homeFeed(dataset: Dataset, viewer: User, lastId: string): FeedTweet[] {
  const next = String(BigInt(lastId) + 1n);
  const end = dataset.positionOf(next);
  const newest = dataset.tweets[end - 1]?.createdAt ?? 0;
  const chosen = new Set<SandboxTweet>();
  const offer = (tweet: SandboxTweet) => {
    if (tweet.replyTo !== null || viewer.muted.has(tweet.author)) return;
    if (hiddenFrom(viewer, tweet) === undefined) chosen.add(tweet);
  };
  for (const author of [viewer, ...viewer.following]) {
    let left = MAX_PER_AUTHOR;
    for (const [tweet] of newestTweets(author.tweets, next)) {
      if (left-- === 0 || tweet.createdAt < newest - MAX_AGE_MS) break;
      offer(tweet);
    }
  }
  for (let at = end - 1; at >= Math.max(0, end - RECENT_TWEETS); at--) {
    const tweet = dataset.tweets[at];
    if (tweet !== undefined && tweet.score >= MIN_SCORE) offer(tweet);
  }
  const placed = [...chosen].map((tweet) => ({ tweet, rank: rankOf(tweet, viewer) }));
  return placed.sort(compareFeedTweets).slice(0, MAX_LENGTH);
}

function compareFeedTweets(a: FeedTweet, b: FeedTweet): number {
  return b.rank - a.rank || compareIds(b.tweet.id, a.tweet.id);
}

/**
 * Returns the rank of a tweet, as a time in hours: a doubled score counts as 6 hours, and a followed author as 24
 * hours.
 */
function rankOf(tweet: SandboxTweet, viewer: User): number {
  const near = tweet.author === viewer || viewer.following.has(tweet.author);
  return tweet.createdAt / HOUR_MS + 6 * Math.log2(1 + tweet.score) + (near ? 24 : 0);
}

const MAX_CACHED = 200;

/** Caches the feeds that clients are paging through, so that a new follow does not change the remaining pages. */
export class HomeFeeds {
  readonly #feeds = new Map<string, readonly FeedTweet[]>();
  #named = 0;

  /**
   * Returns a name for a new feed. After a restart a name may be used again. That is harmless, because a feed is
   * rebuilt from the viewer and `lastId` in its name.
   */
  newName(viewer: User, lastId: string): string {
    return `${viewer.id}-${lastId}-${++this.#named}`;
  }

  keep(name: string, feed: readonly FeedTweet[]): void {
    this.#feeds.delete(name);
    this.#feeds.set(name, feed);
    const [oldest] = this.#feeds.keys();
    if (this.#feeds.size > MAX_CACHED && oldest !== undefined) this.#feeds.delete(oldest);
  }

  /** Returns the cached feed, or calls `make` to build the feed again. */
  find(name: string, make: () => readonly FeedTweet[]): readonly FeedTweet[] {
    const feed = this.#feeds.get(name) ?? make();
    this.keep(name, feed);
    return feed;
  }
}
