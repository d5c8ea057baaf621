import type { Dataset } from '../dataset/dataset.ts';
import { compareIds } from '../dataset/snowflake.ts';
import type { SandboxTweet } from '../dataset/types.ts';
import { hiddenFrom, type Viewer } from '../dataset/visibility.ts';
import { matcherOf } from './match.ts';
import type { Query } from './parse.ts';

/** Yields the tweets that match and that the viewer may see, newest first, below an id. */
export function* newestMatches(dataset: Dataset, query: Query, viewer: Viewer, below: string | undefined) {
  const matches = matcherOf(query, { userNamed: dataset.userNamed, lists: dataset.lists, viewer });
  const { tweets } = dataset;
  // A loop over indices, because most of the work of a search is to pass tweets that do not match.
  for (let at = below === undefined ? tweets.length : dataset.positionOf(below); at-- > 0; ) {
    const tweet = tweets[at];
    if (tweet && matches(tweet) && hiddenFrom(viewer, tweet) === undefined) yield [tweet, tweet.id] as const;
  }
}

/**
 * Yields tweets, best first, after a position. Later pages leave out tweets that are newer than the first page, and the score
 * of a tweet never changes, so that pages do not repeat or skip tweets.
 */
export function* bestFirst(
  { lastTweetId }: Dataset,
  tweets: Iterable<readonly [tweet: SandboxTweet, ...unknown[]]>,
  after: string | undefined,
): Generator<readonly [tweet: SandboxTweet, position: string]> {
  const [snapshot = lastTweetId ?? '0', score = 'Infinity', id = '0'] = after?.split(':') ?? [];
  const place = { score: Number(score), id };
  const isAfter = (tweet: SandboxTweet) => compareIds(tweet.id, snapshot) <= 0 && compareRank(tweet, place) > 0;
  const found = [...tweets].map(([tweet]) => tweet).filter(isAfter);
  for (const tweet of found.sort(compareRank)) yield [tweet, `${snapshot}:${tweet.score}:${tweet.id}`];
}

type Ranked = Pick<SandboxTweet, 'score' | 'id'>;

/** Orders by score, highest first. Tweets with the same score are ordered by id, newest first. */
function compareRank(a: Ranked, b: Ranked): number {
  return b.score - a.score || compareIds(b.id, a.id);
}
