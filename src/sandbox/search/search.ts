import type { Dataset } from '../dataset/dataset.ts';
import { compareIds } from '../dataset/snowflake.ts';
import { newestTweets } from '../dataset/timelines.ts';
import type { SandboxTweet } from '../dataset/types.ts';
import { hiddenFrom, type Viewer } from '../dataset/visibility.ts';
import { matcherOf } from './match.ts';
import type { Query } from './parse.ts';

export type Product = 'latest' | 'top';

/** The position after which a page starts: the score and id of a tweet. Tweets newer than `snapshotId` are left out. */
export interface SearchPosition {
  readonly snapshotId: string;
  readonly score: number;
  readonly id: string;
}

export interface SearchPage {
  readonly tweets: readonly SandboxTweet[];
  /** The position of the next page. Undefined on the last page. */
  readonly next: SearchPosition | undefined;
}

/**
 * Returns one page of search results. New tweets do not change later pages: `latest` is ordered by descending id, and
 * `top` leaves out tweets that are newer than the first page and orders by a score that never changes.
 */
export function search(
  dataset: Dataset,
  query: Query,
  product: Product,
  viewer: Viewer,
  count: number,
  after: SearchPosition | undefined,
): SearchPage {
  const matches = matcherOf(query, dataset);
  const isFound = (tweet: SandboxTweet) => matches(tweet) && hiddenFrom(viewer, tweet) === undefined;
  let tweets: SandboxTweet[] = [];
  if (product === 'latest') {
    for (const [tweet] of newestTweets(dataset.tweets, after?.id)) {
      if (isFound(tweet)) tweets.push(tweet);
      if (tweets.length > count) break;
    }
  } else {
    const isAfter = (tweet: SandboxTweet) =>
      after === undefined || (compareIds(tweet.id, after.snapshotId) <= 0 && compareRank(tweet, after) > 0);
    tweets = dataset.tweets.filter((tweet) => isAfter(tweet) && isFound(tweet)).sort(compareRank);
  }
  const last = tweets.length > count ? tweets[count - 1] : undefined;
  const snapshotId = after?.snapshotId ?? dataset.lastTweetId ?? '0';
  return { tweets: tweets.slice(0, count), next: last && { snapshotId, score: last.score, id: last.id } };
}

type Ranked = Pick<SandboxTweet, 'score' | 'id'>;

/** Orders by score, highest first. Tweets with the same score are ordered by id, newest first. */
function compareRank(a: Ranked, b: Ranked): number {
  return b.score - a.score || compareIds(b.id, a.id);
}
