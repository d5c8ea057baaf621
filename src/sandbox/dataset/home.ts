import type { Dataset } from './dataset.ts';
import { hiddenFrom } from './look-up.ts';
import { compareIds } from './snowflake.ts';
import type { SandboxTweet, User } from './types.ts';

const HOUR_MS = 3_600_000;
const OF_EACH_FOLLOWED = 12;
const FOLLOWED_FOR_MS = 21 * 24 * HOUR_MS;
/** How many of the latest tweets of anybody are looked at, and how well one must have been received to be shown. */
const LATEST = 1_500;
const ENGAGING = 8;
const LONGEST = 600;

export interface FeedTweet {
  readonly tweet: SandboxTweet;
  readonly heat: number;
}

/**
 * What a viewer is shown at home, best first, of the tweets no later than the one with the id `lastId`: those of followed
 * authors, and what others liked lately. The age counts on a line that has no now in it, and the reception does not
 * change, so the order is the same whenever it is made.
 */
export function homeFeed(dataset: Dataset, viewer: User, lastId: string): FeedTweet[] {
  const end = dataset.positionOf(lastId) + (dataset.tweet(lastId) === undefined ? 0 : 1);
  const newest = dataset.tweets[end - 1]?.createdAt ?? 0;
  const chosen = new Set<SandboxTweet>();
  const offer = (tweet: SandboxTweet) => {
    if (tweet.replyTo === null && hiddenFrom(viewer, tweet) === undefined) chosen.add(tweet);
  };
  for (const author of [viewer, ...viewer.following]) {
    let left = OF_EACH_FOLLOWED;
    for (let at = author.tweets.length - 1; at >= 0 && left > 0; at--) {
      const position = author.tweets[at] ?? 0;
      const tweet = dataset.tweets[position];
      if (tweet === undefined || position >= end) continue;
      if (tweet.createdAt < newest - FOLLOWED_FOR_MS) break;
      offer(tweet);
      left--;
    }
  }
  for (let at = end - 1; at >= Math.max(0, end - LATEST); at--) {
    const tweet = dataset.tweets[at];
    if (tweet !== undefined && tweet.score >= ENGAGING) offer(tweet);
  }
  const placed = [...chosen].map((tweet) => ({ tweet, heat: heatOf(tweet, viewer) }));
  return placed.sort(comparePlaced).slice(0, LONGEST);
}

export function comparePlaced(a: FeedTweet, b: FeedTweet): number {
  return b.heat - a.heat || compareIds(b.tweet.id, a.tweet.id);
}

/** In hours: doubling the reception is worth six of them, being followed a day. */
function heatOf(tweet: SandboxTweet, viewer: User): number {
  const near = tweet.author === viewer || viewer.following.has(tweet.author);
  return tweet.createdAt / HOUR_MS + 6 * Math.log2(1 + tweet.score) + (near ? 24 : 0);
}

const KEPT = 200;

/** Feeds that somebody is in the middle of: whom one follows meanwhile must not move what is still to come. */
export class HomeFeeds {
  readonly #feeds = new Map<string, readonly FeedTweet[]>();
  #named = 0;

  /** A name for a feed that begins now. After a restart a name may come again, and so does then what it stood for. */
  newName(viewer: User, lastId: string): string {
    return `${viewer.id}-${lastId}-${++this.#named}`;
  }

  keep(name: string, feed: readonly FeedTweet[]): void {
    this.#feeds.delete(name);
    this.#feeds.set(name, feed);
    const [oldest] = this.#feeds.keys();
    if (this.#feeds.size > KEPT && oldest !== undefined) this.#feeds.delete(oldest);
  }

  /** One that was kept, or the same made again as far as the dataset is still the same. */
  find(name: string, make: () => readonly FeedTweet[]): readonly FeedTweet[] {
    const feed = this.#feeds.get(name) ?? make();
    this.keep(name, feed);
    return feed;
  }
}
