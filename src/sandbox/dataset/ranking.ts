import { compareIds } from './snowflake.ts';
import type { SandboxTweet } from './types.ts';

export type Ranked = Pick<SandboxTweet, 'score' | 'id'>;

/** Orders by score, highest first. Tweets with the same score are ordered by id, newest first. */
export function compareRank(a: Ranked, b: Ranked): number {
  return b.score - a.score || compareIds(b.id, a.id);
}

/**
 * All tweets, ordered by score. The order is built on first use, because inserting every tweet of a new dataset one by
 * one is slow.
 */
export class Ranking {
  readonly #all: readonly SandboxTweet[];
  #sorted: SandboxTweet[] | undefined;

  constructor(all: readonly SandboxTweet[]) {
    this.#all = all;
  }

  get tweets(): readonly SandboxTweet[] {
    this.#sorted ??= [...this.#all].sort((a, b) => b.score - a.score || b.position - a.position);
    return this.#sorted;
  }

  /** Inserts a new tweet. Must be called for every tweet that is added to the dataset. */
  add(tweet: SandboxTweet): void {
    this.#sorted?.splice(this.placeOf(tweet), 0, tweet);
  }

  /** Returns the number of tweets that are ordered before this score and id. */
  placeOf(ranked: Ranked): number {
    const { tweets } = this;
    let low = 0;
    let high = tweets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = tweets[middle];
      if (other !== undefined && compareRank(other, ranked) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
