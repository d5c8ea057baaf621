import type { Dataset } from '../dataset/dataset.ts';
import { compareRank } from '../dataset/ranking.ts';
import { lowerBound } from '../dataset/relation.ts';
import { compareIds } from '../dataset/snowflake.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { hiddenFrom } from '../dataset/visibility.ts';
import { type Matcher, matcherOf } from './match.ts';
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
  viewer: User,
  count: number,
  after: SearchPosition | undefined,
): SearchPage {
  const matches = matcherOf(query, dataset.userNamed);
  const visible: Matcher = (tweet) => matches(tweet) && hiddenFrom(viewer, tweet) === undefined;
  const candidates = dataset.index.candidates(query, dataset.userNamed);
  const found = product === 'latest' ? latest : top;
  const tweets = found(dataset, candidates, visible, count + 1, after);
  const last = tweets.length > count ? tweets[count - 1] : undefined;
  const snapshotId = after?.snapshotId ?? dataset.lastTweetId ?? '0';
  return {
    tweets: tweets.slice(0, count),
    next: last && { snapshotId, score: last.score, id: last.id },
  };
}

function latest(
  dataset: Dataset,
  candidates: readonly number[] | undefined,
  visible: Matcher,
  limit: number,
  after: SearchPosition | undefined,
): SandboxTweet[] {
  const end = after === undefined ? dataset.tweets.length : dataset.positionOf(after.id);
  const found: SandboxTweet[] = [];
  let at = candidates === undefined ? end : lowerBound(candidates, end);
  while (--at >= 0 && found.length < limit) {
    const tweet = dataset.tweets[candidates === undefined ? at : (candidates[at] ?? 0)];
    if (tweet !== undefined && visible(tweet)) found.push(tweet);
  }
  return found;
}

function top(
  dataset: Dataset,
  candidates: readonly number[] | undefined,
  visible: Matcher,
  limit: number,
  after: SearchPosition | undefined,
): SandboxTweet[] {
  const inTime: Matcher = (tweet) => after === undefined || compareIds(tweet.id, after.snapshotId) <= 0;
  const ranked = dataset.ranking.tweets;
  if (candidates !== undefined && candidates.length < ranked.length / 4) {
    return bestOf(dataset, candidates, limit, (tweet) => {
      const isAfter = after === undefined || compareRank(tweet, after) > 0;
      return isAfter && inTime(tweet) && visible(tweet);
    });
  }
  // With many candidates, walking through the existing ranking fills the page sooner than sorting the candidates.
  const found: SandboxTweet[] = [];
  const from = after === undefined ? 0 : firstAfter(dataset, after);
  for (let at = from; at < ranked.length && found.length < limit; at++) {
    const tweet = ranked[at];
    if (tweet !== undefined && inTime(tweet) && visible(tweet)) found.push(tweet);
  }
  return found;
}

/**
 * Returns the best matches at these positions. A tweet that cannot be among the best any more is skipped without being
 * matched.
 */
function bestOf(dataset: Dataset, positions: readonly number[], limit: number, matches: Matcher): SandboxTweet[] {
  const best: SandboxTweet[] = [];
  for (const position of positions) {
    const tweet = dataset.tweets[position];
    if (tweet === undefined) continue;
    const worst = best[limit - 1];
    if ((worst !== undefined && compareRank(tweet, worst) > 0) || !matches(tweet)) continue;
    let low = 0;
    for (let high = best.length; low < high; ) {
      const middle = (low + high) >>> 1;
      const other = best[middle];
      if (other !== undefined && compareRank(other, tweet) < 0) low = middle + 1;
      else high = middle;
    }
    best.splice(low, 0, tweet);
    if (best.length > limit) best.pop();
  }
  return best;
}

function firstAfter(dataset: Dataset, { score, id }: SearchPosition): number {
  const place = dataset.ranking.placeOf({ score, id });
  return dataset.ranking.tweets[place]?.id === id ? place + 1 : place;
}
